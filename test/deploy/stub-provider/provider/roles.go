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
