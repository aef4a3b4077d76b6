"""Encodes Harmony text with openai-harmony and reads it back id by id; prints one JSON object.

Standard input: the text. Arguments: how many rounds to time.
{"ids": [...], "seconds": [...], "messages": n, "characters": n}
"""

import json
import sys
import time

from openai_harmony import HarmonyEncodingName, StreamableParser, load_harmony_encoding

ENCODING = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)


def read(ids):
    """Characters of all deltas, and the parser."""
    parser = StreamableParser(ENCODING, None)
    characters = 0
    for token in ids:
        parser.process(token)
        delta = parser.last_content_delta
        if delta:
            characters += len(delta)
    parser.process_eos()
    return characters, parser


def main():
    ids = ENCODING.encode(sys.stdin.buffer.read().decode("utf-8"), allowed_special="all")
    seconds = []
    characters, parser = read(ids)
    for _ in range(int(sys.argv[1])):
        begin = time.perf_counter()
        read(ids)
        seconds.append(time.perf_counter() - begin)
    json.dump({"ids": ids, "seconds": seconds, "messages": len(parser.messages), "characters": characters}, sys.stdout)


main()
