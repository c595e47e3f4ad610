// Package risk computes what is left of the risk that a person is recognised in a de-identified document. It is pure
// computation: texts, spans and counts come in, numbers with their method and version go out. The numbers support
// expert review; they are no determination.
//
// The words of the formulas:
//
//   - A context is what stands around one entity: five words before it, the entity, five words behind it.
//   - A context is unique when no context of another document of the reference corpus is similar to it: the cosine
//     of their vectors stays below the corpus's threshold. Without a reference corpus uniqueness is not known.
//   - Risk score = unique contexts of the document / contexts of the document x 100.
//   - EF(t) = entities of type t / entities of the document. CoWeight(t) = half the sum, over the pairs of entities
//     with one of type t that stand in each other's context, of the pair's weight / number of such pairs. Summed
//     over the types EF gives 1 and CoWeight the mean weight of the pairs, so the sum lies between 1 and 2.
//   - FRS = sum over t of (EF + CoWeight) x unique contexts / contexts x 100, at most 100.
//   - P(leak) = 1 - exp(-sum over the direct types t of n(t) x (1 - r(t)) / r(t)), where n(t) entities were found and
//     r(t) is the recall measured for the type: n(1-r)/r is how many were missed on average where n were found.
//   - Joint score = (1 - (1 - P(leak)) x (1 - u x q)) x 100: an identifier leaked, or what remains singles the person
//     out. u is the share of unique contexts (1 where it is not known), q the share of the seven kinds of
//     quasi-identifiers that the output still gives.
package risk
