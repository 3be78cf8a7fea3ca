package expiry

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
	"time"
)

// Model has the names of the file: encoding/json does not mind the case.
type Model struct{ GranularityMinutes, Shards int64 }

func Window(model Model, ttl int64, key ...string) string {
	const layout = "2006-01-02T15:04:05.000Z"
	length := model.GranularityMinutes * 60
	start := ttl - ttl%length
	text := time.Unix(start, 0).UTC().Format(layout) + "_" + time.Unix(start+length, 0).UTC().Format(layout)
	digest := sha256.Sum256([]byte(strings.Join(key, "\x00") + "\x00"))
	if shard := int64(binary.BigEndian.Uint32(digest[:4])) % model.Shards; shard > 0 {
		return text + "#" + strconv.FormatInt(shard, 10)
	}
	return text
}
