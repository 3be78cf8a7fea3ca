# Reads cases of JSON, one per line, and writes the attributes that window.py makes for each.
import json
import sys

from window import expiry

for line in sys.stdin.buffer:
    case = json.loads(line)
    model, item = case["model"], case["item"]
    names = [model["partitionKey"]] + ([model["sortKey"]] if "sortKey" in model else [])
    key = [f"{type}:{value}" for name in names for type, value in item[name].items()]
    print(json.dumps(expiry(model, case["ttl"], *key)))
