package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

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

func ownershipCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	return made(str(w, "bucket"), ownershipUpdate(ctx, c, nil, w))
}

func ownershipUpdate(ctx context.Context, c *Cloud, _, w Object) error {
	rule := types.OwnershipControlsRule{ObjectOwnership: types.ObjectOwnership(str(one(w, "rule"), "object_ownership"))}
	_, err := c.s3.PutBucketOwnershipControls(ctx, &s3.PutBucketOwnershipControlsInput{Bucket: aws.String(str(w, "bucket")), OwnershipControls: &types.OwnershipControls{Rules: []types.OwnershipControlsRule{rule}}})
	return err
}

func ownershipRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	bucket := str(s, "id")
	output, err := c.s3.GetBucketOwnershipControls(ctx, &s3.GetBucketOwnershipControlsInput{Bucket: &bucket})
	if err != nil {
		return nil, unlessGone(err)
	}
	rules := []any{}
	for _, seen := range output.OwnershipControls.Rules {
		rules = append(rules, Object{"object_ownership": string(seen.ObjectOwnership)})
	}
	return Object{"bucket": bucket, "rule": rules}, nil
}

func ownershipDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.s3.DeleteBucketOwnershipControls(ctx, &s3.DeleteBucketOwnershipControlsInput{Bucket: aws.String(str(s, "id"))})
	return unlessGone(err)
}
