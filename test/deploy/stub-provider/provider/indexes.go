package main

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func index(of Object, billing string) types.GlobalSecondaryIndex {
	return types.GlobalSecondaryIndex{IndexName: aws.String(str(of, "name")), KeySchema: keySchema(of),
		Projection:            &types.Projection{ProjectionType: types.ProjectionType(str(of, "projection_type")), NonKeyAttributes: strs(of, "non_key_attributes")},
		ProvisionedThroughput: throughput(of, billing), WarmThroughput: warmThroughput(of)}
}

// indexProblem is the provider's own check, when it makes the call.
func indexProblem(of Object, billing string) error {
	if billing == string(types.BillingModeProvisioned) && (number(of, "read_capacity") < 1 || number(of, "write_capacity") < 1) {
		return fmt.Errorf("the index %s: read and write capacity should be set when billing mode is PROVISIONED", str(of, "name"))
	}
	return nil
}

// IndexChanges is how the indexes of a table become others: dropped, changed in place, made.
type IndexChanges struct {
	drop, change, create []types.GlobalSecondaryIndexUpdate
}

func indexChanges(prior, w Object) (changes IndexChanges, err error) {
	billing, was, wanted := str(w, "billing_mode"), byName(prior), byName(w)
	remade := func(a, b Object) bool {
		return b == nil || changed(a, b, "hash_key", "range_key", "projection_type", "non_key_attributes")
	}
	for _, name := range sortedKeys(was) {
		if remade(was[name], wanted[name]) {
			changes.drop = append(changes.drop, types.GlobalSecondaryIndexUpdate{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String(name)}})
		}
	}
	for _, name := range sortedKeys(wanted) {
		gsi := index(wanted[name], billing)
		if was[name] == nil || remade(was[name], wanted[name]) {
			if err := indexProblem(wanted[name], billing); err != nil {
				return changes, err
			}
			changes.create = append(changes.create, types.GlobalSecondaryIndexUpdate{Create: &types.CreateGlobalSecondaryIndexAction{IndexName: gsi.IndexName,
				KeySchema: gsi.KeySchema, Projection: gsi.Projection, ProvisionedThroughput: gsi.ProvisionedThroughput, WarmThroughput: gsi.WarmThroughput}})
			continue
		}
		update := &types.UpdateGlobalSecondaryIndexAction{IndexName: gsi.IndexName}
		if changed(was[name], wanted[name], "read_capacity", "write_capacity") || changed(prior, w, "billing_mode") {
			update.ProvisionedThroughput = gsi.ProvisionedThroughput
		}
		if changed(was[name], wanted[name], "warm_throughput") {
			update.WarmThroughput = gsi.WarmThroughput
		}
		if update.ProvisionedThroughput != nil || update.WarmThroughput != nil {
			if err := indexProblem(wanted[name], billing); err != nil {
				return changes, err
			}
			changes.change = append(changes.change, types.GlobalSecondaryIndexUpdate{Update: update})
		}
	}
	return changes, nil
}

func byName(table Object) map[string]Object {
	indexes := map[string]Object{}
	for _, each := range objects(table, "global_secondary_index") {
		indexes[str(each, "name")] = each
	}
	return indexes
}

func indexesRead(s Object, table *types.TableDescription) []any {
	indexes := []any{}
	for _, gsi := range table.GlobalSecondaryIndexes {
		seen := copyOf(byName(s)[*gsi.IndexName])
		hash, sort := keysOf(gsi.KeySchema)
		seen["name"], seen["hash_key"], seen["range_key"], seen["projection_type"] = *gsi.IndexName, hash, sort, string(gsi.Projection.ProjectionType)
		if provisioned := gsi.ProvisionedThroughput; provisioned != nil && seen["read_capacity"] != nil {
			seen["read_capacity"], seen["write_capacity"] = aws.ToInt64(provisioned.ReadCapacityUnits), aws.ToInt64(provisioned.WriteCapacityUnits)
		}
		if warm := gsi.WarmThroughput; warm != nil && one(seen, "warm_throughput") != nil {
			seen["warm_throughput"] = []any{warmRead(one(seen, "warm_throughput"), warm.ReadUnitsPerSecond, warm.WriteUnitsPerSecond)}
		}
		indexes = append(indexes, seen)
	}
	return indexes
}
