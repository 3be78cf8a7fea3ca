package main

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func bucketTag(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} }

func bucketCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	if str(w, "bucket") == "" {
		w["bucket"] = uniqueName(str(w, "bucket_prefix"))
	}
	name := aws.String(str(w, "bucket"))
	input := &s3.CreateBucketInput{Bucket: name}
	if c.region != "us-east-1" { // S3 refuses it as a constraint
		input.CreateBucketConfiguration = &types.CreateBucketConfiguration{LocationConstraint: types.BucketLocationConstraint(c.region)}
	}
	if truth(w, "object_lock_enabled") {
		input.ObjectLockEnabledForBucket = aws.Bool(true)
	}
	if _, err := c.s3.CreateBucket(ctx, input); err != nil {
		return "", err
	}
	return *name, bucketUpdate(ctx, c, Object{}, w)
}

// uniqueName adds the 26 characters that Terraform's SDK adds to a prefix: the time, and a number.
func uniqueName(prefix string) string {
	now := time.Now().UTC()
	return orElse(prefix, "terraform-") + now.Format("20060102150405") + fmt.Sprintf("%04d%08x", now.Nanosecond()/100_000, 1)
}

func bucketRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	name := str(s, "id")
	if _, err := c.s3.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &name}); err != nil {
		return nil, unlessGone(err)
	}
	tags, err := c.s3.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: &name})
	if err != nil && !hasCode(err, "NoSuchTagSet") {
		return nil, err
	}
	all := Object{}
	if err == nil {
		all = tagObject(tags.TagSet, func(tag types.Tag) (*string, *string) { return tag.Key, tag.Value })
	}
	return Object{"arn": "arn:aws:s3:::" + name, "bucket": name, "bucket_prefix": str(s, "bucket_prefix"), "bucket_domain_name": name + ".s3.amazonaws.com", "bucket_region": c.region,
		"bucket_regional_domain_name": name + ".s3." + c.region + ".amazonaws.com", "force_destroy": truth(s, "force_destroy"), "object_lock_enabled": truth(s, "object_lock_enabled"),
		"request_payer": "BucketOwner", "tags_all": all}, nil
}

func bucketUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	name := aws.String(str(w, "bucket"))
	if !changed(prior, w, "tags_all") {
		return nil
	}
	if len(allTags(w)) == 0 {
		_, err := c.s3.DeleteBucketTagging(ctx, &s3.DeleteBucketTaggingInput{Bucket: name})
		return err
	}
	_, err := c.s3.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{Bucket: name, Tagging: &types.Tagging{TagSet: tagList(w, bucketTag)}})
	return err
}

// bucketDelete fails as long as there are objects in it. force_destroy, which would delete them, is not known here.
func bucketDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.s3.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: aws.String(str(s, "id"))})
	return unlessGone(err)
}

func versioningCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	return made(str(w, "bucket"), putVersioning(ctx, c, str(w, "bucket"), str(one(w, "versioning_configuration"), "status")))
}

func putVersioning(ctx context.Context, c *Cloud, bucket, status string) error {
	if status == "Disabled" { // what a bucket has that never had any; S3 takes it from nobody
		return nil
	}
	_, err := c.s3.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{Bucket: &bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatus(status)}})
	return err
}

func versioningRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	bucket := str(s, "id")
	output, err := c.s3.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &bucket})
	if err != nil {
		return nil, unlessGone(err)
	}
	configuration := copyOf(one(s, "versioning_configuration"))
	configuration["status"] = orElse(string(output.Status), "Disabled")
	return Object{"bucket": bucket, "versioning_configuration": []any{configuration}}, nil
}

func versioningUpdate(ctx context.Context, c *Cloud, _, w Object) error {
	return putVersioning(ctx, c, str(w, "bucket"), str(one(w, "versioning_configuration"), "status"))
}

func versioningDelete(ctx context.Context, c *Cloud, s Object) error {
	if str(one(s, "versioning_configuration"), "status") == "Disabled" {
		return nil
	}
	return unlessGone(putVersioning(ctx, c, str(s, "id"), "Suspended"))
}

func objectLockCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	return made(str(w, "bucket"), objectLockUpdate(ctx, c, nil, w))
}

func objectLockUpdate(ctx context.Context, c *Cloud, _, w Object) error {
	lock := &types.ObjectLockConfiguration{ObjectLockEnabled: types.ObjectLockEnabled(str(w, "object_lock_enabled"))}
	if retention := one(one(w, "rule"), "default_retention"); retention != nil {
		lock.Rule = &types.ObjectLockRule{DefaultRetention: &types.DefaultRetention{Mode: types.ObjectLockRetentionMode(str(retention, "mode")),
			Days: unlessZero(retention, "days"), Years: unlessZero(retention, "years")}}
	}
	_, err := c.s3.PutObjectLockConfiguration(ctx, &s3.PutObjectLockConfigurationInput{Bucket: text(w, "bucket"), ObjectLockConfiguration: lock})
	return err
}

func objectLockRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.s3.GetObjectLockConfiguration(ctx, &s3.GetObjectLockConfigurationInput{Bucket: text(s, "id")})
	if err != nil {
		return nil, unlessGone(err)
	}
	rule := []any{}
	if lock := output.ObjectLockConfiguration.Rule; lock != nil {
		retention := Object{"mode": string(lock.DefaultRetention.Mode)}
		for name, value := range map[string]*int32{"days": lock.DefaultRetention.Days, "years": lock.DefaultRetention.Years} {
			if aws.ToInt32(value) != 0 {
				retention[name] = *value
			}
		}
		rule = []any{Object{"default_retention": []any{retention}}}
	}
	return Object{"bucket": str(s, "id"), "object_lock_enabled": string(output.ObjectLockConfiguration.ObjectLockEnabled), "rule": rule}, nil
}

// objectLockDelete takes the rule away: S3 never turns the lock itself off.
func objectLockDelete(ctx context.Context, c *Cloud, s Object) error {
	unruled := copyOf(s)
	delete(unruled, "rule")
	return unlessGone(objectLockUpdate(ctx, c, nil, unruled))
}

func bucketEncryptionCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	return made(str(w, "bucket"), bucketEncryptionUpdate(ctx, c, nil, w))
}

func bucketEncryptionUpdate(ctx context.Context, c *Cloud, _, w Object) error {
	rules := []types.ServerSideEncryptionRule{}
	for _, rule := range objects(w, "rule") {
		made := types.ServerSideEncryptionRule{}
		if rule["bucket_key_enabled"] != nil {
			made.BucketKeyEnabled = aws.Bool(truth(rule, "bucket_key_enabled"))
		}
		if byDefault := one(rule, "apply_server_side_encryption_by_default"); byDefault != nil {
			made.ApplyServerSideEncryptionByDefault = &types.ServerSideEncryptionByDefault{SSEAlgorithm: types.ServerSideEncryption(str(byDefault, "sse_algorithm")), KMSMasterKeyID: text(byDefault, "kms_master_key_id")}
		}
		rules = append(rules, made)
	}
	_, err := c.s3.PutBucketEncryption(ctx, &s3.PutBucketEncryptionInput{Bucket: aws.String(str(w, "bucket")), ServerSideEncryptionConfiguration: &types.ServerSideEncryptionConfiguration{Rules: rules}})
	return err
}

func bucketEncryptionRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	bucket := str(s, "id")
	output, err := c.s3.GetBucketEncryption(ctx, &s3.GetBucketEncryptionInput{Bucket: &bucket})
	if err != nil {
		return nil, unlessGone(err)
	}
	rules, was := []any{}, objects(s, "rule")
	for at, seen := range output.ServerSideEncryptionConfiguration.Rules {
		rule := Object{}
		if at < len(was) {
			rule = copyOf(was[at])
		}
		if on := aws.ToBool(seen.BucketKeyEnabled); on != truth(rule, "bucket_key_enabled") {
			rule["bucket_key_enabled"] = on
		}
		if byDefault := seen.ApplyServerSideEncryptionByDefault; byDefault != nil {
			applied := Object{"sse_algorithm": string(byDefault.SSEAlgorithm), "kms_master_key_id": nil}
			if byDefault.KMSMasterKeyID != nil && *byDefault.KMSMasterKeyID != "" {
				applied["kms_master_key_id"] = *byDefault.KMSMasterKeyID
			}
			rule["apply_server_side_encryption_by_default"] = []any{applied}
		}
		rules = append(rules, rule)
	}
	return Object{"bucket": bucket, "rule": rules}, nil
}

func bucketEncryptionDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.s3.DeleteBucketEncryption(ctx, &s3.DeleteBucketEncryptionInput{Bucket: aws.String(str(s, "id"))})
	return unlessGone(err)
}

func publicAccessCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	return made(str(w, "bucket"), publicAccessUpdate(ctx, c, nil, w))
}

func publicAccessUpdate(ctx context.Context, c *Cloud, _, w Object) error {
	_, err := c.s3.PutPublicAccessBlock(ctx, &s3.PutPublicAccessBlockInput{Bucket: aws.String(str(w, "bucket")), PublicAccessBlockConfiguration: &types.PublicAccessBlockConfiguration{
		BlockPublicAcls: aws.Bool(truth(w, "block_public_acls")), BlockPublicPolicy: aws.Bool(truth(w, "block_public_policy")),
		IgnorePublicAcls: aws.Bool(truth(w, "ignore_public_acls")), RestrictPublicBuckets: aws.Bool(truth(w, "restrict_public_buckets"))}})
	return err
}

func publicAccessRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	bucket := str(s, "id")
	output, err := c.s3.GetPublicAccessBlock(ctx, &s3.GetPublicAccessBlockInput{Bucket: &bucket})
	if err != nil {
		return nil, unlessGone(err)
	}
	seen := output.PublicAccessBlockConfiguration
	return Object{"bucket": bucket, "block_public_acls": aws.ToBool(seen.BlockPublicAcls), "block_public_policy": aws.ToBool(seen.BlockPublicPolicy),
		"ignore_public_acls": aws.ToBool(seen.IgnorePublicAcls), "restrict_public_buckets": aws.ToBool(seen.RestrictPublicBuckets)}, nil
}

func publicAccessDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.s3.DeletePublicAccessBlock(ctx, &s3.DeletePublicAccessBlockInput{Bucket: aws.String(str(s, "id"))})
	return unlessGone(err)
}

func bucketPolicyCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	return made(str(w, "bucket"), bucketPolicyUpdate(ctx, c, nil, w))
}

func bucketPolicyUpdate(ctx context.Context, c *Cloud, _, w Object) error {
	_, err := c.s3.PutBucketPolicy(ctx, &s3.PutBucketPolicyInput{Bucket: aws.String(str(w, "bucket")), Policy: aws.String(str(w, "policy"))})
	return err
}

func bucketPolicyRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	bucket := str(s, "id")
	output, err := c.s3.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: &bucket})
	if err != nil {
		return nil, unlessGone(err)
	}
	return Object{"bucket": bucket, "policy": aws.ToString(output.Policy)}, nil
}

func bucketPolicyDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.s3.DeleteBucketPolicy(ctx, &s3.DeleteBucketPolicyInput{Bucket: aws.String(str(s, "id"))})
	return unlessGone(err)
}

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
