package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func tableTag(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} }

func keySchema(of Object) []types.KeySchemaElement {
	keys := []types.KeySchemaElement{{AttributeName: aws.String(str(of, "hash_key")), KeyType: types.KeyTypeHash}}
	if sort := str(of, "range_key"); sort != "" {
		keys = append(keys, types.KeySchemaElement{AttributeName: &sort, KeyType: types.KeyTypeRange})
	}
	return keys
}

func attributeDefinitions(w Object) (list []types.AttributeDefinition) {
	for _, attribute := range objects(w, "attribute") {
		list = append(list, types.AttributeDefinition{AttributeName: aws.String(str(attribute, "name")), AttributeType: types.ScalarAttributeType(str(attribute, "type"))})
	}
	return list
}

// throughput is what is provisioned, of a table or an index; none where each request is paid for.
func throughput(of Object, billing string) *types.ProvisionedThroughput {
	if billing != string(types.BillingModeProvisioned) {
		return nil
	}
	return &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(int64(number(of, "read_capacity"))), WriteCapacityUnits: aws.Int64(int64(number(of, "write_capacity")))}
}

func warmThroughput(of Object) *types.WarmThroughput {
	warm := one(of, "warm_throughput")
	if warm == nil {
		return nil
	}
	result := &types.WarmThroughput{}
	if reads := number(warm, "read_units_per_second"); reads > 0 {
		result.ReadUnitsPerSecond = aws.Int64(int64(reads))
	}
	if writes := number(warm, "write_units_per_second"); writes > 0 {
		result.WriteUnitsPerSecond = aws.Int64(int64(writes))
	}
	return result
}

func encryption(w Object) *types.SSESpecification {
	block := one(w, "server_side_encryption")
	if block == nil || !truth(block, "enabled") {
		return &types.SSESpecification{Enabled: aws.Bool(false)}
	}
	if key := text(block, "kms_key_arn"); key != nil {
		return &types.SSESpecification{Enabled: aws.Bool(true), KMSMasterKeyId: key, SSEType: types.SSETypeKms}
	}
	return &types.SSESpecification{Enabled: aws.Bool(true)}
}

func stream(w Object) *types.StreamSpecification {
	if !truth(w, "stream_enabled") {
		return &types.StreamSpecification{StreamEnabled: aws.Bool(false)}
	}
	return &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(str(w, "stream_view_type"))}
}

func tableCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	billing := str(w, "billing_mode")
	input := &dynamodb.CreateTableInput{
		TableName: aws.String(str(w, "name")), BillingMode: types.BillingMode(billing), KeySchema: keySchema(w), AttributeDefinitions: attributeDefinitions(w),
		ProvisionedThroughput: throughput(w, billing), WarmThroughput: warmThroughput(w), TableClass: types.TableClass(str(w, "table_class")),
		DeletionProtectionEnabled: aws.Bool(truth(w, "deletion_protection_enabled")), Tags: tagList(w, tableTag),
	}
	if truth(w, "stream_enabled") {
		input.StreamSpecification = stream(w)
	}
	if one(w, "server_side_encryption") != nil {
		input.SSESpecification = encryption(w)
	}
	for _, each := range objects(w, "global_secondary_index") {
		if err := indexProblem(each, billing); err != nil {
			return "", err
		}
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, index(each, billing))
	}
	if _, err := c.dynamodb.CreateTable(ctx, input); err != nil {
		return "", err
	}
	// One that is to be off is off: DynamoDB refuses to turn it off again.
	if truth(one(w, "ttl"), "enabled") {
		if err := setTimeToLive(ctx, c, w); err != nil {
			return str(w, "name"), err
		}
	}
	if truth(one(w, "point_in_time_recovery"), "enabled") {
		return str(w, "name"), setRecovery(ctx, c, w)
	}
	return str(w, "name"), nil
}

func setTimeToLive(ctx context.Context, c *Cloud, w Object) error {
	ttl := one(w, "ttl")
	if ttl == nil {
		return nil
	}
	if str(ttl, "attribute_name") == "" {
		// DynamoDB's answer; the emulator takes it.
		return fmt.Errorf("ValidationException: Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have length greater than or equal to 1")
	}
	_, err := c.dynamodb.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: aws.String(str(w, "name")),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(str(ttl, "attribute_name")), Enabled: aws.Bool(truth(ttl, "enabled"))}})
	return err
}

func setRecovery(ctx context.Context, c *Cloud, w Object) error {
	recovery := one(w, "point_in_time_recovery")
	if recovery == nil {
		return nil
	}
	_, err := c.dynamodb.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{TableName: aws.String(str(w, "name")),
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(truth(recovery, "enabled")),
			RecoveryPeriodInDays: unlessZero(recovery, "recovery_period_in_days")}})
	return err
}

func describe(ctx context.Context, c *Cloud, name string) (*types.TableDescription, *types.TimeToLiveDescription, error) {
	output, err := c.dynamodb.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return nil, nil, err
	}
	ttl, err := c.dynamodb.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return nil, nil, err
	}
	return output.Table, ttl.TimeToLiveDescription, nil
}

func keysOf(schema []types.KeySchemaElement) (hash, sort any) {
	for _, key := range schema {
		if key.KeyType == types.KeyTypeHash {
			hash = *key.AttributeName
		} else {
			sort = *key.AttributeName
		}
	}
	return hash, sort
}

// tableSeen has what a resource and a data source tell alike.
func tableSeen(table *types.TableDescription, ttl *types.TimeToLiveDescription) Object {
	seen := Object{"arn": *table.TableArn, "name": *table.TableName, "billing_mode": string(types.BillingModeProvisioned), "read_capacity": int64(0), "write_capacity": int64(0),
		"deletion_protection_enabled": aws.ToBool(table.DeletionProtectionEnabled), "stream_enabled": false, "stream_view_type": "",
		"stream_arn": aws.ToString(table.LatestStreamArn), "stream_label": aws.ToString(table.LatestStreamLabel), "ttl": []any{}}
	if table.BillingModeSummary != nil {
		seen["billing_mode"] = string(table.BillingModeSummary.BillingMode)
	}
	// The emulator keeps what was provisioned once.
	if provisioned := table.ProvisionedThroughput; provisioned != nil && seen["billing_mode"] == string(types.BillingModeProvisioned) {
		seen["read_capacity"], seen["write_capacity"] = aws.ToInt64(provisioned.ReadCapacityUnits), aws.ToInt64(provisioned.WriteCapacityUnits)
	}
	if table.StreamSpecification != nil {
		seen["stream_enabled"], seen["stream_view_type"] = aws.ToBool(table.StreamSpecification.StreamEnabled), string(table.StreamSpecification.StreamViewType)
	}
	seen["hash_key"], seen["range_key"] = keysOf(table.KeySchema)
	attributes := []any{}
	for _, attribute := range table.AttributeDefinitions {
		attributes = append(attributes, Object{"name": *attribute.AttributeName, "type": string(attribute.AttributeType)})
	}
	seen["attribute"] = attributes
	if ttl != nil {
		seen["ttl"] = []any{Object{"attribute_name": aws.ToString(ttl.AttributeName), "enabled": ttl.TimeToLiveStatus == types.TimeToLiveStatusEnabled}}
	}
	return seen
}

// tableRead leaves two as the state has them: the emulator does not know table classes, nor a change of the encryption.
func tableRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	table, ttl, err := describe(ctx, c, str(s, "id"))
	if err != nil {
		return nil, unlessGone(err)
	}
	seen := tableSeen(table, ttl)
	// DynamoDB does not tell the attribute of one that is off, and the provider sees no difference in that.
	if seenTtl := one(seen, "ttl"); seenTtl != nil && !truth(seenTtl, "enabled") && one(s, "ttl") != nil {
		seenTtl["attribute_name"] = str(one(s, "ttl"), "attribute_name")
	}
	// Nor does it see one in a block that the configuration leaves out, while TTL is off. An import has no keys yet, and reads it.
	if !truth(one(seen, "ttl"), "enabled") && one(s, "ttl") == nil && str(s, "hash_key") != "" {
		delete(seen, "ttl")
	}
	seen["global_secondary_index"] = indexesRead(s, table)
	if warm := table.WarmThroughput; warm != nil && one(s, "warm_throughput") != nil {
		seen["warm_throughput"] = []any{warmRead(one(s, "warm_throughput"), warm.ReadUnitsPerSecond, warm.WriteUnitsPerSecond)}
	}
	if configured(s, "point_in_time_recovery") {
		if seen["point_in_time_recovery"], err = recoveryRead(ctx, c, s); err != nil {
			return nil, err
		}
	}
	tags, err := c.dynamodb.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: table.TableArn})
	if err != nil {
		return nil, err
	}
	seen["tags_all"] = tagObject(tags.Tags, func(tag types.Tag) (*string, *string) { return tag.Key, tag.Value })
	return seen, nil
}

// warmRead gives of warm throughput what was asked for: DynamoDB tells the rest, too.
func warmRead(asked Object, reads, writes *int64) Object {
	warm := copyOf(asked)
	if asked["read_units_per_second"] != nil {
		warm["read_units_per_second"] = aws.ToInt64(reads)
	}
	if asked["write_units_per_second"] != nil {
		warm["write_units_per_second"] = aws.ToInt64(writes)
	}
	return warm
}

func recoveryRead(ctx context.Context, c *Cloud, s Object) ([]any, error) {
	output, err := c.dynamodb.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String(str(s, "id"))})
	if err != nil {
		return nil, err
	}
	recovery := copyOf(one(s, "point_in_time_recovery"))
	recovery["enabled"] = false
	if seen := output.ContinuousBackupsDescription.PointInTimeRecoveryDescription; seen != nil {
		recovery["enabled"] = seen.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled
		if recovery["recovery_period_in_days"] != nil {
			recovery["recovery_period_in_days"] = aws.ToInt32(seen.RecoveryPeriodInDays)
		}
	}
	return []any{recovery}, nil
}

// The order is the provider's: some changes cannot be in one call, and indexes are dropped before and made after.
func tableUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	name := aws.String(str(w, "name"))
	update := func(input *dynamodb.UpdateTableInput) error {
		input.TableName = name
		_, err := c.dynamodb.UpdateTable(ctx, input)
		return err
	}
	indexes, err := indexChanges(prior, w)
	if err != nil {
		return err
	}
	for _, each := range indexes.drop {
		if err := update(&dynamodb.UpdateTableInput{GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{each}}); err != nil {
			return err
		}
	}
	if changed(prior, w, "table_class") {
		if err := update(&dynamodb.UpdateTableInput{TableClass: types.TableClass(str(w, "table_class"))}); err != nil {
			return err
		}
	}
	if !changed(prior, w, "stream_enabled") && truth(w, "stream_enabled") && changed(prior, w, "stream_view_type") {
		if err := update(&dynamodb.UpdateTableInput{StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(false)}}); err != nil {
			return err
		}
		if err := update(&dynamodb.UpdateTableInput{StreamSpecification: stream(w)}); err != nil {
			return err
		}
	}
	input := &dynamodb.UpdateTableInput{GlobalSecondaryIndexUpdates: indexes.change}
	if changed(prior, w, "billing_mode", "read_capacity", "write_capacity") {
		input.BillingMode, input.ProvisionedThroughput = types.BillingMode(str(w, "billing_mode")), throughput(w, str(w, "billing_mode"))
	}
	if changed(prior, w, "deletion_protection_enabled") {
		input.DeletionProtectionEnabled = aws.Bool(truth(w, "deletion_protection_enabled"))
	}
	if changed(prior, w, "stream_enabled") && truth(prior, "stream_enabled") != truth(w, "stream_enabled") {
		input.StreamSpecification = stream(w)
	}
	if input.BillingMode != "" || input.DeletionProtectionEnabled != nil || input.StreamSpecification != nil || len(indexes.change) > 0 {
		if err := update(input); err != nil {
			return err
		}
	}
	for _, each := range indexes.create {
		if err := update(&dynamodb.UpdateTableInput{AttributeDefinitions: attributeDefinitions(w), GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{each}}); err != nil {
			return err
		}
	}
	if changed(prior, w, "server_side_encryption") && one(w, "server_side_encryption") != nil {
		if err := update(&dynamodb.UpdateTableInput{SSESpecification: encryption(w)}); err != nil {
			return err
		}
	}
	if warm := warmThroughput(w); changed(prior, w, "warm_throughput") && warm != nil {
		if err := update(&dynamodb.UpdateTableInput{WarmThroughput: warm}); err != nil {
			return err
		}
	}
	if changed(prior, w, "ttl") {
		if before, after := one(prior, "ttl"), one(w, "ttl"); before != nil && after != nil && str(before, "attribute_name") != str(after, "attribute_name") && truth(before, "enabled") {
			// DynamoDB's answer; the emulator just changes it.
			return fmt.Errorf("ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is %s", str(before, "attribute_name"))
		}
		if err := setTimeToLive(ctx, c, w); err != nil {
			return err
		}
	}
	if changed(prior, w, "point_in_time_recovery") {
		if err := setRecovery(ctx, c, w); err != nil {
			return err
		}
	}
	arn := aws.String(str(w, "arn"))
	return retag(prior, w, func() error {
		_, err := c.dynamodb.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: tagList(w, tableTag)})
		return err
	}, func(names []string) error {
		_, err := c.dynamodb.UntagResource(ctx, &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: names})
		return err
	})
}

func tableDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.dynamodb.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(str(s, "id"))})
	return unlessGone(err)
}

func tableData(ctx context.Context, c *Cloud, config Object) (Object, error) {
	name := str(config, "name")
	table, ttl, err := describe(ctx, c, name)
	if err != nil {
		return nil, fmt.Errorf("reading Dynamodb Table (%s): %w", name, err)
	}
	seen, indexes := tableSeen(table, ttl), []any{}
	for _, gsi := range table.GlobalSecondaryIndexes {
		hash, sort := keysOf(gsi.KeySchema)
		indexes = append(indexes, Object{"name": *gsi.IndexName, "hash_key": hash, "range_key": sort, "projection_type": string(gsi.Projection.ProjectionType)})
	}
	seen["id"], seen["global_secondary_index"] = name, indexes
	seen["server_side_encryption"], seen["tags"] = []any{}, Object{}
	return seen, nil
}

// tableProblem holds the checks that the provider makes of a whole plan.
func tableProblem(prior, planned Object) string {
	if problem := unmatchedAttributes(planned); problem != "" {
		return problem
	}
	if truth(planned, "stream_enabled") && str(planned, "stream_view_type") == "" {
		return "stream_view_type is required when stream_enabled = true"
	}
	was, billing := str(prior, "billing_mode"), str(planned, "billing_mode")
	for _, field := range []string{"read_capacity", "write_capacity"} {
		units := number(planned, field)
		if billing == "PROVISIONED" && units < 1 && was != "PAY_PER_REQUEST" {
			return field + ` must be at least 1 when billing_mode is "PROVISIONED"`
		}
		if billing == "PAY_PER_REQUEST" && units != 0 && was != "PROVISIONED" {
			return field + ` can not be set when billing_mode is "PAY_PER_REQUEST"`
		}
	}
	return ""
}

func unmatchedAttributes(planned Object) string {
	used := map[string]bool{}
	key := func(name any) {
		if text, ok := name.(string); ok && text != "" {
			used[text] = true
		}
	}
	key(planned["hash_key"])
	key(planned["range_key"])
	for _, index := range objects(planned, "global_secondary_index") {
		key(index["hash_key"])
		key(index["range_key"])
	}
	for _, index := range objects(planned, "local_secondary_index") {
		key(index["range_key"])
	}
	defined := map[string]bool{}
	for _, attribute := range objects(planned, "attribute") {
		name := str(attribute, "name")
		if defined[name] {
			return "attribute " + name + " is defined twice"
		}
		defined[name] = true
		if !used[name] {
			return "all attributes must be indexed. Unused attributes: " + name
		}
	}
	for name := range used {
		if !defined[name] {
			return "all indexes must match a defined attribute. Unmatched indexes: " + name
		}
	}
	return ""
}

// tableReplaced names what DynamoDB cannot change in place, but for what is always so: warm throughput only grows.
func tableReplaced(prior, planned Object) []string {
	was, warm := one(prior, "warm_throughput"), one(planned, "warm_throughput")
	for _, field := range []string{"read_units_per_second", "write_units_per_second"} {
		if units := number(warm, field); units != 0 && units < number(was, field) {
			return []string{"warm_throughput"}
		}
	}
	return nil
}

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
