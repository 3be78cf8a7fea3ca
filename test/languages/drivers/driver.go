// Reads cases of JSON, one per line, and writes the attributes that go into the item. Window is that of docs/files.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
)

type names struct {
	PartitionKey, SortKey, TtlAttribute, IndexedBy, WindowAttribute string
}

func main() {
	cases, attributes := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var one struct {
			Model json.RawMessage
			Item  map[string]map[string]string
			Ttl   int64
		}
		if err := cases.Decode(&one); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			panic(err)
		}
		var model Model
		var name names
		if err := errors.Join(json.Unmarshal(one.Model, &model), json.Unmarshal(one.Model, &name)); err != nil {
			panic(err)
		}
		var key []string
		for _, attribute := range []string{name.PartitionKey, name.SortKey} {
			for kind, value := range one.Item[attribute] {
				key = append(key, kind+":"+value)
			}
		}
		made := map[string]any{name.TtlAttribute: one.Ttl}
		if name.IndexedBy == "window" {
			made[name.WindowAttribute] = Window(model, one.Ttl, key...)
		}
		if err := attributes.Encode(made); err != nil {
			panic(err)
		}
	}
}
