package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
)

func roleTag(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} }

func roleCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	output, err := c.iam.CreateRole(ctx, &iam.CreateRoleInput{
		RoleName: aws.String(str(w, "name")), Path: aws.String(str(w, "path")),
		AssumeRolePolicyDocument: aws.String(str(w, "assume_role_policy")), PermissionsBoundary: text(w, "permissions_boundary"),
		MaxSessionDuration: aws.Int32(number(w, "max_session_duration")), Tags: tagList(w, roleTag),
	})
	if err != nil {
		return "", err
	}
	return *output.Role.RoleName, nil
}

func roleRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.iam.GetRole(ctx, &iam.GetRoleInput{RoleName: aws.String(str(s, "id"))})
	if err != nil {
		return nil, unlessGone(err)
	}
	role := output.Role
	policy, _ := url.QueryUnescape(aws.ToString(role.AssumeRolePolicyDocument))
	return Object{"arn": *role.Arn, "name": *role.RoleName, "name_prefix": "", "unique_id": *role.RoleId, "path": *role.Path,
		"create_date": role.CreateDate.UTC().Format("2006-01-02T15:04:05Z"), "assume_role_policy": policy,
		"max_session_duration": aws.ToInt32(role.MaxSessionDuration), "managed_policy_arns": []any{},
		"tags_all": tagObject(role.Tags, func(tag types.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
}

func roleUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	name, boundary := aws.String(str(w, "name")), text(w, "permissions_boundary")
	if changed(prior, w, "assume_role_policy") {
		if _, err := c.iam.UpdateAssumeRolePolicy(ctx, &iam.UpdateAssumeRolePolicyInput{RoleName: name, PolicyDocument: aws.String(str(w, "assume_role_policy"))}); err != nil {
			return err
		}
	}
	if changed(prior, w, "permissions_boundary") && boundary != nil {
		if _, err := c.iam.PutRolePermissionsBoundary(ctx, &iam.PutRolePermissionsBoundaryInput{RoleName: name, PermissionsBoundary: boundary}); err != nil {
			return err
		}
	}
	if changed(prior, w, "permissions_boundary") && boundary == nil {
		if _, err := c.iam.DeleteRolePermissionsBoundary(ctx, &iam.DeleteRolePermissionsBoundaryInput{RoleName: name}); err != nil {
			return err
		}
	}
	return retag(prior, w, func() error {
		_, err := c.iam.TagRole(ctx, &iam.TagRoleInput{RoleName: name, Tags: tagList(w, roleTag)})
		return err
	}, func(names []string) error {
		_, err := c.iam.UntagRole(ctx, &iam.UntagRoleInput{RoleName: name, TagKeys: names})
		return err
	})
}

func roleDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.iam.DeleteRole(ctx, &iam.DeleteRoleInput{RoleName: aws.String(str(s, "id"))})
	return unlessGone(err)
}

func rolePolicyCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	return made(str(w, "role")+":"+str(w, "name"), putRolePolicy(ctx, c, w))
}

func putRolePolicy(ctx context.Context, c *Cloud, w Object) error {
	_, err := c.iam.PutRolePolicy(ctx, &iam.PutRolePolicyInput{RoleName: aws.String(str(w, "role")), PolicyName: aws.String(str(w, "name")), PolicyDocument: aws.String(str(w, "policy"))})
	return err
}

func rolePolicyRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	role, name, _ := strings.Cut(str(s, "id"), ":")
	output, err := c.iam.GetRolePolicy(ctx, &iam.GetRolePolicyInput{RoleName: &role, PolicyName: &name})
	if err != nil {
		return nil, unlessGone(err)
	}
	policy, _ := url.QueryUnescape(aws.ToString(output.PolicyDocument))
	return Object{"role": role, "name": name, "name_prefix": "", "policy": policy}, nil
}

func rolePolicyUpdate(ctx context.Context, c *Cloud, _, w Object) error {
	return putRolePolicy(ctx, c, w)
}

func rolePolicyDelete(ctx context.Context, c *Cloud, s Object) error {
	role, name, _ := strings.Cut(str(s, "id"), ":")
	_, err := c.iam.DeleteRolePolicy(ctx, &iam.DeleteRolePolicyInput{RoleName: &role, PolicyName: &name})
	return unlessGone(err)
}

// permitted refuses a role without a policy: what takes it needs its permissions at creation or soon after, so it must
// depend on the policy and not only on the role. AWS would tell in some cases, an emulator never does.
func permitted(ctx context.Context, c *Cloud, roleARN string) error {
	name := roleARN[strings.LastIndex(roleARN, "/")+1:]
	policies, err := c.iam.ListRolePolicies(ctx, &iam.ListRolePoliciesInput{RoleName: &name})
	if err == nil && len(policies.PolicyNames) == 0 {
		err = fmt.Errorf("the role %s has no policy yet: depends_on its aws_iam_role_policy is missing", name)
	}
	return err
}

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
