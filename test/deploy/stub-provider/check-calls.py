#!/usr/bin/env python3
"""Holds the recorded calls (STUB_AWS_LOG) against AWS's own API models, which botocore carries: members that exist,
required ones, lengths, ranges, patterns, enums. Emulators check few of these.

    python3 check-calls.py calls.jsonl
"""
import collections
import json
import sys

import botocore.session
import regex  # for \p{L}, which the models use

MODELS = {'CloudWatch': 'cloudwatch', 'CloudWatch Logs': 'logs', 'DynamoDB': 'dynamodb',
          'Firehose': 'firehose', 'IAM': 'iam', 'Lambda': 'lambda', 'Pipes': 'pipes', 'S3': 's3', 'SFN': 'stepfunctions', 'SNS': 'sns', 'SQS': 'sqs', 'STS': 'sts', 'Scheduler': 'scheduler'}
session = botocore.session.get_session()
models = {name: session.get_service_model(model) for name, model in MODELS.items()}


def walk(shape, value, path):
    if value is None:
        return
    meta = shape.metadata
    kind = shape.type_name
    if kind == 'structure':
        members = {name.lower(): (name, member) for name, member in shape.members.items()}
        given = {name.lower() for name, inner in value.items() if inner is not None}
        for name in shape.required_members:
            if name.lower() not in given:
                yield f'{path}: {name} is missing'
        for name, inner in value.items():
            if inner is None or inner == '' and name.lower() not in members:
                continue
            if name.lower() not in members:
                if inner not in ({}, [], 0, False, '', None):
                    yield f'{path}: no member {name}'
                continue
            known, member = members[name.lower()]
            # Go's zero of an optional enum or number is "not given".
            if inner == '' and 'enum' in member.metadata:
                continue
            yield from walk(member, inner, f'{path}.{known}')
    elif kind == 'list':
        yield from size(meta, len(value), path)
        for at, inner in enumerate(value):
            yield from walk(shape.member, inner, f'{path}[{at}]')
    elif kind == 'map':
        for key, inner in value.items():
            yield from walk(shape.key, key, f'{path} key')
            yield from walk(shape.value, inner, f'{path}.{key}')
    elif kind == 'string':
        yield from size(meta, len(value), path)
        pattern = meta.get('pattern')
        if pattern and not regex.fullmatch(pattern, value, regex.DOTALL):
            yield f'{path}: {value[:80]!r} is not {pattern}'
        if shape.enum and value not in shape.enum:
            yield f'{path}: {value!r} is none of {shape.enum}'
    elif kind in ('integer', 'long', 'double', 'float'):
        yield from size(meta, value, path)


def size(meta, size_, path):
    if 'min' in meta and size_ < meta['min']:
        yield f"{path}: {size_} is less than {meta['min']}"
    if 'max' in meta and size_ > meta['max']:
        yield f"{path}: {size_} is more than {meta['max']}"


counts = collections.Counter()
problems = []
for line in open(sys.argv[1]):
    call = json.loads(line)
    operation = models[call['service']].operation_model(call['call'])
    counts[f"{call['service']}:{call['call']}"] += 1
    given = dict(call['input'] or {})
    if call['call'] == 'CreateFunction':
        given['Code'] = {}
    if operation.input_shape:
        problems += [f"{call['call']} {call['about']}: {problem}" for problem in walk(operation.input_shape, given, '')]
for name, count in sorted(counts.items()):
    print(f'{count:5} {name}')
print(f'{sum(counts.values())} calls, {len(problems)} against the model')
for problem in problems:
    print('  ', problem)
sys.exit(1 if problems else 0)
