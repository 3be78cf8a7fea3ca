package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// Handler makes, reads, changes and removes one type of resource. Read gives what the cloud says: attributes, and blocks
// where they are configured, since AWS fills in what was never configured.
type Handler struct {
	Create func(ctx context.Context, c *Cloud, wanted Object) (id string, err error)
	Read   func(ctx context.Context, c *Cloud, state Object) (Object, error)
	Update func(ctx context.Context, c *Cloud, prior, wanted Object) error
	Delete func(ctx context.Context, c *Cloud, state Object) error
}

var handlers = map[string]Handler{
	"aws_cloudwatch_dashboard":                           {dashboardCreate, dashboardRead, dashboardUpdate, dashboardDelete},
	"aws_cloudwatch_log_group":                           {logGroupCreate, logGroupRead, logGroupUpdate, logGroupDelete},
	"aws_cloudwatch_log_stream":                          {logStreamCreate, logStreamRead, nil, logStreamDelete},
	"aws_cloudwatch_query_definition":                    {queryCreate, queryRead, queryUpdate, queryDelete},
	"aws_cloudwatch_metric_alarm":                        {alarmCreate, alarmRead, alarmUpdate, alarmDelete},
	"aws_dynamodb_table":                                 {tableCreate, tableRead, tableUpdate, tableDelete},
	"aws_iam_policy":                                     {policyCreate, policyRead, policyUpdate, policyDelete},
	"aws_iam_role":                                       {roleCreate, roleRead, roleUpdate, roleDelete},
	"aws_iam_role_policy":                                {rolePolicyCreate, rolePolicyRead, rolePolicyUpdate, rolePolicyDelete},
	"aws_iam_role_policy_attachment":                     {attachmentCreate, attachmentRead, nil, attachmentDelete},
	"aws_kinesis_firehose_delivery_stream":               {deliveryCreate, deliveryRead, deliveryUpdate, deliveryDelete},
	"aws_lambda_function":                                {functionCreate, functionRead, functionUpdate, functionDelete},
	"aws_pipes_pipe":                                     {pipeCreate, pipeRead, pipeUpdate, pipeDelete},
	"aws_s3_bucket":                                      {bucketCreate, bucketRead, bucketUpdate, bucketDelete},
	"aws_s3_bucket_lifecycle_configuration":              {bucketLifecycleCreate, bucketLifecycleRead, bucketLifecycleUpdate, bucketLifecycleDelete},
	"aws_s3_bucket_object_lock_configuration":            {objectLockCreate, objectLockRead, objectLockUpdate, objectLockDelete},
	"aws_s3_bucket_policy":                               {bucketPolicyCreate, bucketPolicyRead, bucketPolicyUpdate, bucketPolicyDelete},
	"aws_s3_bucket_public_access_block":                  {publicAccessCreate, publicAccessRead, publicAccessUpdate, publicAccessDelete},
	"aws_s3_bucket_server_side_encryption_configuration": {bucketEncryptionCreate, bucketEncryptionRead, bucketEncryptionUpdate, bucketEncryptionDelete},
	"aws_s3_bucket_versioning":                           {versioningCreate, versioningRead, versioningUpdate, versioningDelete},
	"aws_scheduler_schedule":                             {scheduleCreate, scheduleRead, scheduleUpdate, scheduleDelete},
	"aws_scheduler_schedule_group":                       {groupCreate, groupRead, groupUpdate, groupDelete},
	"aws_sfn_state_machine":                              {machineCreate, machineRead, machineUpdate, machineDelete},
	"aws_sns_topic":                                      {topicCreate, topicRead, topicUpdate, topicDelete},
	"aws_sqs_queue":                                      {queueCreate, queueRead, queueUpdate, queueDelete},
}

var dataSources = map[string]func(ctx context.Context, c *Cloud, config Object) (Object, error){
	"aws_caller_identity": func(ctx context.Context, c *Cloud, _ Object) (Object, error) {
		identity, err := c.sts.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
		if err != nil {
			return nil, err
		}
		return Object{"id": *identity.Account, "account_id": *identity.Account, "arn": *identity.Arn, "user_id": *identity.UserId}, nil
	},
	"aws_partition": func(context.Context, *Cloud, Object) (Object, error) {
		return Object{"id": "aws", "partition": "aws", "dns_suffix": "amazonaws.com", "reverse_dns_prefix": "com.amazonaws"}, nil
	},
	"aws_region": func(_ context.Context, c *Cloud, _ Object) (Object, error) {
		return Object{"id": c.region, "region": c.region, "name": c.region, "endpoint": "ec2." + c.region + ".amazonaws.com", "description": c.region}, nil
	},
	"aws_dynamodb_table": tableData,
}

// made gives no id when the one call that makes a thing failed. A Create of several calls gives the id with the error
// of a later one, as the provider does: Terraform keeps the thing then, as tainted.
func made(id string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return id, nil
}

func changed(prior, wanted Object, names ...string) bool {
	for _, name := range names {
		if fmt.Sprint(prior[name]) != fmt.Sprint(wanted[name]) {
			return true
		}
	}
	return false
}

func changedBesidesTags(prior, wanted Object) bool {
	for name := range wanted {
		if name != "tags" && name != "tags_all" && changed(prior, wanted, name) {
			return true
		}
	}
	return false
}

// configured says whether a block is to be read: the state has it, or the state is that of an import and has nothing yet.
func configured(state Object, block string) bool {
	if one(state, block) != nil {
		return true
	}
	for name, value := range state {
		if name != "id" && !isZero(value) {
			return false
		}
	}
	return true
}

func allTags(wanted Object) map[string]string { return texts(wanted["tags_all"]) }

// tagList gives tags as a service takes them, by name.
func tagList[Tag any](wanted Object, tag func(key, value *string) Tag) []Tag {
	tags, list := allTags(wanted), []Tag{}
	for _, name := range sortedKeys(tags) {
		list = append(list, tag(aws.String(name), aws.String(tags[name])))
	}
	return list
}

// retag sets the tags where they differ, and removes those that are gone.
func retag(prior, wanted Object, set func() error, remove func(names []string) error) error {
	if !changed(prior, wanted, "tags_all") {
		return nil
	}
	left, names := allTags(wanted), []string{}
	for _, name := range sortedKeys(allTags(prior)) {
		if _, kept := left[name]; !kept {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		if err := remove(names); err != nil {
			return err
		}
	}
	if len(left) == 0 {
		return nil
	}
	return set()
}

func tagObject[Tag any](list []Tag, of func(Tag) (key, value *string)) Object {
	object := Object{}
	for _, tag := range list {
		key, value := of(tag)
		object[aws.ToString(key)] = aws.ToString(value)
	}
	return object
}

func asObject(tags map[string]string) Object {
	object := Object{}
	for name, value := range tags {
		object[name] = value
	}
	return object
}
