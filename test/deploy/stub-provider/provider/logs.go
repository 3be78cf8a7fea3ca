package main

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
)

func logGroupCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	name := str(w, "name")
	if _, err := c.logs.CreateLogGroup(ctx, &cloudwatchlogs.CreateLogGroupInput{LogGroupName: &name, KmsKeyId: text(w, "kms_key_id"), Tags: allTags(w)}); err != nil {
		return "", err
	}
	return name, setRetention(ctx, c, w)
}

func setRetention(ctx context.Context, c *Cloud, w Object) error {
	name, days := str(w, "name"), number(w, "retention_in_days")
	if days == 0 {
		_, err := c.logs.DeleteRetentionPolicy(ctx, &cloudwatchlogs.DeleteRetentionPolicyInput{LogGroupName: &name})
		return err
	}
	_, err := c.logs.PutRetentionPolicy(ctx, &cloudwatchlogs.PutRetentionPolicyInput{LogGroupName: &name, RetentionInDays: &days})
	return err
}

func logGroupRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	id := str(s, "id")
	output, err := c.logs.DescribeLogGroups(ctx, &cloudwatchlogs.DescribeLogGroupsInput{LogGroupNamePrefix: &id})
	if err != nil {
		return nil, err
	}
	for _, group := range output.LogGroups {
		if aws.ToString(group.LogGroupName) != id {
			continue
		}
		arn := strings.TrimSuffix(aws.ToString(group.Arn), ":*")
		tags, err := c.logs.ListTagsForResource(ctx, &cloudwatchlogs.ListTagsForResourceInput{ResourceArn: &arn})
		if err != nil {
			return nil, err
		}
		return Object{"arn": arn, "name": id, "name_prefix": "", "log_group_class": "STANDARD", "deletion_protection_enabled": false,
			"retention_in_days": aws.ToInt32(group.RetentionInDays), "tags_all": asObject(tags.Tags)}, nil
	}
	return nil, nil
}

// logGroupUpdate leaves a change of the key to the state: the emulator takes one for a new group only.
func logGroupUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	arn := aws.String(str(w, "arn"))
	err := retag(prior, w, func() error {
		_, err := c.logs.TagResource(ctx, &cloudwatchlogs.TagResourceInput{ResourceArn: arn, Tags: allTags(w)})
		return err
	}, func(names []string) error {
		_, err := c.logs.UntagResource(ctx, &cloudwatchlogs.UntagResourceInput{ResourceArn: arn, TagKeys: names})
		return err
	})
	if err != nil {
		return err
	}
	return setRetention(ctx, c, w)
}

func logGroupDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.logs.DeleteLogGroup(ctx, &cloudwatchlogs.DeleteLogGroupInput{LogGroupName: aws.String(str(s, "id"))})
	return unlessGone(err)
}

func logStreamCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	_, err := c.logs.CreateLogStream(ctx, &cloudwatchlogs.CreateLogStreamInput{LogGroupName: text(w, "log_group_name"), LogStreamName: text(w, "name")})
	return made(str(w, "name"), err)
}

func logStreamRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.logs.DescribeLogStreams(ctx, &cloudwatchlogs.DescribeLogStreamsInput{LogGroupName: text(s, "log_group_name"), LogStreamNamePrefix: text(s, "name")})
	if err != nil {
		return nil, unlessGone(err)
	}
	for _, stream := range output.LogStreams {
		if aws.ToString(stream.LogStreamName) == str(s, "name") {
			return Object{"arn": aws.ToString(stream.Arn), "name": str(s, "name"), "log_group_name": str(s, "log_group_name")}, nil
		}
	}
	return nil, nil
}

func logStreamDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.logs.DeleteLogStream(ctx, &cloudwatchlogs.DeleteLogStreamInput{LogGroupName: text(s, "log_group_name"), LogStreamName: text(s, "name")})
	return unlessGone(err)
}

// The emulator knows no saved queries: they are what the configuration says.
func queryCreate(_ context.Context, _ *Cloud, w Object) (string, error) {
	return made(str(w, "name"), nil)
}

func queryRead(_ context.Context, _ *Cloud, s Object) (Object, error) {
	return Object{"name": str(s, "name"), "query_definition_id": str(s, "id")}, nil
}

func queryUpdate(context.Context, *Cloud, Object, Object) error { return nil }

func queryDelete(context.Context, *Cloud, Object) error { return nil }
