package lists

// Version names the content of the lists, of those to look up in and of those to draw from; surrogates depend on it.
const Version = "36b6d4ba9822"
