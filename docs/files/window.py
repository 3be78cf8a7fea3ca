import json
import zlib
from datetime import datetime, timezone

# key: the texts of the primary key, such as "S:alice", "N:17". ttl: whole epoch seconds, such as int(time.time()) + 3600.

with open("expiry-model.json") as file:
    model = json.load(file)

def expiry(model, ttl, *key):
    attributes = {model["ttlAttribute"]: ttl}
    if model["indexedBy"] == "window":
        attributes[model["windowAttribute"]] = window(model, ttl, *key)
    return attributes

def window(model, ttl, *key):
    length = model["granularityMinutes"] * 60
    start = ttl // length * length
    edges = [datetime.fromtimestamp(edge, timezone.utc) for edge in (start, start + length)]
    text = "_".join(edge.strftime("%Y-%m-%dT%H:%M:%S.000Z") for edge in edges)
    shard = zlib.crc32("".join(part + "\0" for part in key).encode()) % model["shards"]
    return f"{text}#{shard}" if shard else text
