package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"
)

func groupTag(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} }

func groupCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	_, err := c.scheduler.CreateScheduleGroup(ctx, &scheduler.CreateScheduleGroupInput{Name: aws.String(str(w, "name")), Tags: tagList(w, groupTag)})
	return made(str(w, "name"), err)
}

func groupRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	output, err := c.scheduler.GetScheduleGroup(ctx, &scheduler.GetScheduleGroupInput{Name: aws.String(str(s, "id"))})
	if err != nil {
		return nil, unlessGone(err)
	}
	tags, err := c.scheduler.ListTagsForResource(ctx, &scheduler.ListTagsForResourceInput{ResourceArn: output.Arn})
	if err != nil {
		return nil, err
	}
	return Object{"arn": aws.ToString(output.Arn), "name": aws.ToString(output.Name), "name_prefix": "", "state": string(output.State),
		"creation_date": fmt.Sprint(output.CreationDate), "last_modification_date": fmt.Sprint(output.LastModificationDate),
		"tags_all": tagObject(tags.Tags, func(tag types.Tag) (*string, *string) { return tag.Key, tag.Value })}, nil
}

func groupUpdate(ctx context.Context, c *Cloud, prior, w Object) error {
	arn := aws.String(str(w, "arn"))
	return retag(prior, w, func() error {
		_, err := c.scheduler.TagResource(ctx, &scheduler.TagResourceInput{ResourceArn: arn, Tags: tagList(w, groupTag)})
		return err
	}, func(names []string) error {
		_, err := c.scheduler.UntagResource(ctx, &scheduler.UntagResourceInput{ResourceArn: arn, TagKeys: names})
		return err
	})
}

func groupDelete(ctx context.Context, c *Cloud, s Object) error {
	_, err := c.scheduler.DeleteScheduleGroup(ctx, &scheduler.DeleteScheduleGroupInput{Name: aws.String(str(s, "id"))})
	return unlessGone(err)
}

func scheduleCreate(ctx context.Context, c *Cloud, w Object) (string, error) {
	if err := permitted(ctx, c, str(one(w, "target"), "role_arn")); err != nil {
		return "", err
	}
	output, err := c.scheduler.CreateSchedule(ctx, &scheduler.CreateScheduleInput{
		Name: aws.String(str(w, "name")), GroupName: text(w, "group_name"), Description: text(w, "description"),
		ScheduleExpression: aws.String(str(w, "schedule_expression")), ScheduleExpressionTimezone: text(w, "schedule_expression_timezone"),
		State: types.ScheduleState(str(w, "state")), StartDate: moment(w, "start_date"), EndDate: moment(w, "end_date"),
		ActionAfterCompletion: types.ActionAfterCompletion(str(w, "action_after_completion")), KmsKeyArn: text(w, "kms_key_arn"),
		FlexibleTimeWindow: timeWindow(w), Target: target(w),
	})
	if err != nil {
		return "", err
	}
	arn := *output.ScheduleArn
	return arn[strings.Index(arn, ":schedule/")+len(":schedule/"):], nil
}

// The whole schedule: what an update leaves out goes back to its default.
func scheduleUpdate(ctx context.Context, c *Cloud, _, w Object) error {
	_, err := c.scheduler.UpdateSchedule(ctx, &scheduler.UpdateScheduleInput{
		Name: aws.String(str(w, "name")), GroupName: text(w, "group_name"), Description: text(w, "description"),
		ScheduleExpression: aws.String(str(w, "schedule_expression")), ScheduleExpressionTimezone: text(w, "schedule_expression_timezone"),
		State: types.ScheduleState(str(w, "state")), StartDate: moment(w, "start_date"), EndDate: moment(w, "end_date"),
		ActionAfterCompletion: types.ActionAfterCompletion(str(w, "action_after_completion")), KmsKeyArn: text(w, "kms_key_arn"),
		FlexibleTimeWindow: timeWindow(w), Target: target(w),
	})
	return err
}

func moment(of Object, name string) *time.Time {
	at, err := time.Parse(time.RFC3339, str(of, name))
	if err != nil {
		return nil
	}
	return &at
}

func momentText(at *time.Time) any {
	if at == nil {
		return nil
	}
	return at.UTC().Format(time.RFC3339)
}

func timeWindow(w Object) *types.FlexibleTimeWindow {
	window := one(w, "flexible_time_window")
	return &types.FlexibleTimeWindow{Mode: types.FlexibleTimeWindowMode(str(window, "mode")), MaximumWindowInMinutes: unlessZero(window, "maximum_window_in_minutes")}
}

func target(w Object) *types.Target {
	t := one(w, "target")
	result := &types.Target{Arn: aws.String(str(t, "arn")), RoleArn: aws.String(str(t, "role_arn")), Input: text(t, "input")}
	if policy := one(t, "retry_policy"); policy != nil {
		result.RetryPolicy = &types.RetryPolicy{MaximumEventAgeInSeconds: aws.Int32(number(policy, "maximum_event_age_in_seconds")), MaximumRetryAttempts: aws.Int32(number(policy, "maximum_retry_attempts"))}
	}
	if letters := one(t, "dead_letter_config"); letters != nil {
		result.DeadLetterConfig = &types.DeadLetterConfig{Arn: aws.String(str(letters, "arn"))}
	}
	return result
}

func scheduleRead(ctx context.Context, c *Cloud, s Object) (Object, error) {
	group, name, _ := strings.Cut(str(s, "id"), "/")
	output, err := c.scheduler.GetSchedule(ctx, &scheduler.GetScheduleInput{GroupName: &group, Name: &name})
	if err != nil {
		return nil, unlessGone(err)
	}
	window := Object{"mode": string(output.FlexibleTimeWindow.Mode), "maximum_window_in_minutes": nil}
	if output.FlexibleTimeWindow.MaximumWindowInMinutes != nil {
		window["maximum_window_in_minutes"] = *output.FlexibleTimeWindow.MaximumWindowInMinutes
	}
	return Object{"arn": aws.ToString(output.Arn), "name": name, "name_prefix": "", "group_name": group, "description": aws.ToString(output.Description),
		"schedule_expression": aws.ToString(output.ScheduleExpression), "schedule_expression_timezone": aws.ToString(output.ScheduleExpressionTimezone),
		"state": string(output.State), "start_date": sameMoment(s, "start_date", output.StartDate), "end_date": sameMoment(s, "end_date", output.EndDate),
		"action_after_completion": orElse(string(output.ActionAfterCompletion), "NONE"), "kms_key_arn": aws.ToString(output.KmsKeyArn),
		"flexible_time_window": []any{window}, "target": []any{targetRead(s, output.Target)}}, nil
}

// sameMoment keeps the text of a moment that is still the same: 12:00:00Z and 12:00:00.000Z are.
func sameMoment(s Object, name string, at *time.Time) any {
	if was := moment(s, name); was != nil && at != nil && was.Equal(*at) {
		return str(s, name)
	}
	return momentText(at)
}

func targetRead(s Object, seen *types.Target) Object {
	t := copyOf(one(s, "target"))
	t["arn"], t["role_arn"], t["input"] = aws.ToString(seen.Arn), aws.ToString(seen.RoleArn), nil
	if seen.Input != nil {
		t["input"] = *seen.Input
	}
	t["dead_letter_config"] = []any{}
	if letters := seen.DeadLetterConfig; letters != nil {
		t["dead_letter_config"] = []any{Object{"arn": aws.ToString(letters.Arn)}}
	}
	// EventBridge Scheduler fills it in where it is left out.
	if policy := seen.RetryPolicy; policy != nil && (one(t, "retry_policy") != nil || one(s, "target") == nil) {
		t["retry_policy"] = []any{Object{"maximum_event_age_in_seconds": aws.ToInt32(policy.MaximumEventAgeInSeconds), "maximum_retry_attempts": aws.ToInt32(policy.MaximumRetryAttempts)}}
	}
	return t
}

func scheduleDelete(ctx context.Context, c *Cloud, s Object) error {
	group, name, _ := strings.Cut(str(s, "id"), "/")
	_, err := c.scheduler.DeleteSchedule(ctx, &scheduler.DeleteScheduleInput{GroupName: &group, Name: &name})
	return unlessGone(err)
}
