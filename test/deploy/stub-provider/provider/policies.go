package main

import (
	"context"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
)

func policyCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	output, err := c.iam.CreatePolicy(ctx, &iam.CreatePolicyInput{
		PolicyName: aws.String(str(w, "name")), Path: aws.String(str(w, "path")),
		PolicyDocument: aws.String(str(w, "policy")), Tags: tagList(w, roleTag),
	})
	if err != nil {
		return "", err
	}
	return *output.Policy.Arn, nil
}

func policyRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.iam.GetPolicy(ctx, &iam.GetPolicyInput{PolicyArn: aws.String(str(s, "id"))})
	if err != nil {
		return nil, unlessGone(err)
	}
	policy := output.Policy
	version, err := c.iam.GetPolicyVersion(ctx, &iam.GetPolicyVersionInput{PolicyArn: policy.Arn, VersionId: policy.DefaultVersionId})
	if err != nil {
		return nil, unlessGone(err)
	}
	document, _ := url.QueryUnescape(aws.ToString(version.PolicyVersion.Document))
	return Object{"arn": *policy.Arn, "name": *policy.PolicyName, "name_prefix": "", "path": *policy.Path, "policy_id": *policy.PolicyId,
		"policy": document, "attachment_count": aws.ToInt32(policy.AttachmentCount),
		"tags_all": tagObject(policy.Tags, func(tag types.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
}

// policyUpdate makes a version and takes the others away: a policy has five at the most.
func policyUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	arn := aws.String(str(w, "id"))
	if changed(prior, w, "policy") {
		if err := dropPolicyVersions(ctx, c, arn); err != nil {
			return err
		}
		if _, err := c.iam.CreatePolicyVersion(ctx, &iam.CreatePolicyVersionInput{PolicyArn: arn, PolicyDocument: aws.String(str(w, "policy")), SetAsDefault: true}); err != nil {
			return err
		}
	}
	return retag(prior, w, func() error {
		_, err := c.iam.TagPolicy(ctx, &iam.TagPolicyInput{PolicyArn: arn, Tags: tagList(w, roleTag)})
		return err
	}, func(names []string) error {
		_, err := c.iam.UntagPolicy(ctx, &iam.UntagPolicyInput{PolicyArn: arn, TagKeys: names})
		return err
	})
}

func dropPolicyVersions(ctx context.Context, c *Cloud, arn *string) error {
	output, err := c.iam.ListPolicyVersions(ctx, &iam.ListPolicyVersionsInput{PolicyArn: arn})
	if err != nil {
		return unlessGone(err)
	}
	for _, version := range output.Versions {
		if version.IsDefaultVersion {
			continue
		}
		if _, err := c.iam.DeletePolicyVersion(ctx, &iam.DeletePolicyVersionInput{PolicyArn: arn, VersionId: version.VersionId}); err != nil {
			return err
		}
	}
	return nil
}

func policyDelete(ctx context.Context, c *Cloud, s Object) error {
	arn := aws.String(str(s, "id"))
	if err := dropPolicyVersions(ctx, c, arn); err != nil {
		return err
	}
	_, err := c.iam.DeletePolicy(ctx, &iam.DeletePolicyInput{PolicyArn: arn})
	return unlessGone(err)
}

// The role's name has no colon, and the ARN of a policy has some.
func attachmentCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	role, arn := str(w, "role"), str(w, "policy_arn")
	_, err := c.iam.AttachRolePolicy(ctx, &iam.AttachRolePolicyInput{RoleName: &role, PolicyArn: &arn})
	return made(role+":"+arn, err)
}

func attachmentRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	role, arn, _ := strings.Cut(str(s, "id"), ":")
	output, err := c.iam.ListAttachedRolePolicies(ctx, &iam.ListAttachedRolePoliciesInput{RoleName: &role})
	if err != nil {
		return nil, unlessGone(err)
	}
	for _, policy := range output.AttachedPolicies {
		if aws.ToString(policy.PolicyArn) == arn {
			return Object{"role": role, "policy_arn": arn}, nil
		}
	}
	return nil, nil
}

func attachmentDelete(ctx context.Context, c *Cloud, s Object) error {
	role, arn, _ := strings.Cut(str(s, "id"), ":")
	_, err := c.iam.DetachRolePolicy(ctx, &iam.DetachRolePolicyInput{RoleName: &role, PolicyArn: &arn})
	return unlessGone(err)
}
