package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func bucketLifecycleCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	return made(str(w, "bucket"), bucketLifecycleUpdate(ctx, c, nil, w))
}

func bucketLifecycleUpdate(ctx context.Context, c *Cloud, _, w Object) error {
	rules := []types.LifecycleRule{}
	for _, rule := range objects(w, "rule") {
		rules = append(rules, lifecycleRule(rule))
	}
	_, err := c.s3.PutBucketLifecycleConfiguration(ctx, &s3.PutBucketLifecycleConfigurationInput{Bucket: aws.String(str(w, "bucket")), LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: rules}})
	return err
}

func lifecycleRule(of Object) types.LifecycleRule {
	rule := types.LifecycleRule{ID: aws.String(str(of, "id")), Status: types.ExpirationStatus(str(of, "status")), Filter: &types.LifecycleRuleFilter{Prefix: aws.String(str(one(of, "filter"), "prefix"))}}
	if and := one(one(of, "filter"), "and"); and != nil {
		rule.Filter = &types.LifecycleRuleFilter{And: &types.LifecycleRuleAndOperator{Prefix: text(and, "prefix")}}
		values := texts(and["tags"])
		for _, name := range sortedKeys(values) {
			rule.Filter.And.Tags = append(rule.Filter.And.Tags, bucketTag(aws.String(name), aws.String(values[name])))
		}
	}
	if expiration := one(of, "expiration"); expiration != nil {
		rule.Expiration = &types.LifecycleExpiration{Days: unlessZero(expiration, "days"), Date: moment(expiration, "date")}
		if truth(expiration, "expired_object_delete_marker") {
			rule.Expiration.ExpiredObjectDeleteMarker = aws.Bool(true)
		}
	}
	if expiration := one(of, "noncurrent_version_expiration"); expiration != nil {
		rule.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{NoncurrentDays: unlessZero(expiration, "noncurrent_days"), NewerNoncurrentVersions: unlessZero(expiration, "newer_noncurrent_versions")}
	}
	if abort := one(of, "abort_incomplete_multipart_upload"); abort != nil {
		rule.AbortIncompleteMultipartUpload = &types.AbortIncompleteMultipartUpload{DaysAfterInitiation: unlessZero(abort, "days_after_initiation")}
	}
	for _, transition := range objects(of, "transition") {
		made := types.Transition{StorageClass: types.TransitionStorageClass(str(transition, "storage_class")), Date: moment(transition, "date")}
		if transition["days"] != nil { // 0 is at once
			made.Days = aws.Int32(number(transition, "days"))
		}
		rule.Transitions = append(rule.Transitions, made)
	}
	for _, transition := range objects(of, "noncurrent_version_transition") {
		rule.NoncurrentVersionTransitions = append(rule.NoncurrentVersionTransitions, types.NoncurrentVersionTransition{StorageClass: types.TransitionStorageClass(str(transition, "storage_class")),
			NoncurrentDays: aws.Int32(number(transition, "noncurrent_days")), NewerNoncurrentVersions: unlessZero(transition, "newer_noncurrent_versions")})
	}
	return rule
}

// bucketLifecycleRead sees whether there are rules, whether they are on, and after how many days objects expire.
func bucketLifecycleRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	bucket := str(s, "id")
	output, err := c.s3.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: &bucket})
	if err != nil {
		return nil, unlessGone(err)
	}
	was, rules := map[string]Object{}, []any{}
	for _, rule := range objects(s, "rule") {
		was[str(rule, "id")] = rule
	}
	for _, seen := range output.Rules {
		rule := copyOf(was[aws.ToString(seen.ID)])
		rule["id"], rule["status"] = aws.ToString(seen.ID), string(seen.Status)
		if expiration := one(rule, "expiration"); expiration != nil && seen.Expiration != nil && seen.Expiration.Days != nil {
			expiration = copyOf(expiration)
			expiration["days"] = *seen.Expiration.Days
			rule["expiration"] = []any{expiration}
		}
		rules = append(rules, rule)
	}
	return Object{"bucket": bucket, "rule": rules}, nil
}

func bucketLifecycleDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.s3.DeleteBucketLifecycle(ctx, &s3.DeleteBucketLifecycleInput{Bucket: aws.String(str(s, "id"))})
	return unlessGone(err)
}
