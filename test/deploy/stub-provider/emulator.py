"""Starts moto's server, which takes the arguments. What is mended:

- DynamoDB lets a stream be enabled again after it was disabled, which is how the view of its records changes; moto takes the old
  stream's label for a stream that is enabled.
- A pipe keeps the parameters that an update does not name, and loses an empty template; moto takes all of them from the update.
- moto answers 500 now and then when several calls change something at once. So it takes them one after the other.
- moto lists its own folder and its classes' methods anew for each call, which is a third of the time that a call takes. They stay the
  same: it does so once.

What is added: after each call that changed it, it remembers what starts sweeps - schedules, state machines, functions and roles - and
tells that in the order in which it happened to whoever asks for /stub/moments, once. It begins with the first question."""
import gc
import json
import sys
from functools import cache
from hashlib import sha256
from threading import Lock

import moto.core.responses
from moto.awslambda.models import lambda_backends
from moto.dynamodb.exceptions import StreamAlreadyEnabledException
from moto.dynamodb.models import DynamoDBBackend
from moto.iam.models import iam_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication
from moto.pipes.models import EventBridgePipesBackend
from moto.scheduler.models import scheduler_backends
from moto.server import main
from moto.stepfunctions.models import stepfunctions_backends

ACCOUNT = '123456789012'
REGION = 'us-east-1'


def update_table_streams(_backend, table, wanted):
    now = table.stream_specification or {}
    if wanted.get('StreamEnabled') and now.get('StreamEnabled'):
        raise StreamAlreadyEnabledException
    table.set_stream_specification(wanted)


update_pipe = EventBridgePipesBackend.update_pipe


def update_pipe_in_part(backend, name, **given):
    pipe = backend.describe_pipe(name)
    for parameters in ('source_parameters', 'enrichment_parameters', 'target_parameters'):
        if given.get(parameters) is not None:
            merged = {**(getattr(pipe, parameters) or {}), **given[parameters]}
            given[parameters] = {key: value for key, value in merged.items() if value != ''}
    starting = (pipe.source_parameters or {}).get('DynamoDBStreamParameters', {}).get('StartingPosition')
    updated = update_pipe(backend, name=name, **given)
    if starting:
        updated.source_parameters['DynamoDBStreamParameters']['StartingPosition'] = starting
    return updated


ONE_AT_A_TIME = Lock()
answer = DomainDispatcherApplication.__call__


class Moments:
    """What started sweeps after each call; the definitions apart, by their hashes, since each moment has nearly the same ones."""

    def __init__(self):
        self.asked = False
        self.moments = []
        self.definitions = {}
        self.last = None

    def remember(self):
        now = self.look()
        if now != self.last:
            self.moments.append(now)
        self.last = now

    def look(self):
        roles = iam_backends[ACCOUNT]['aws'].roles.values()
        machines = stepfunctions_backends[ACCOUNT][REGION].state_machines
        groups = scheduler_backends[ACCOUNT][REGION].schedule_groups.values()
        functions = lambda_backends[ACCOUNT][REGION].list_functions()
        return {
            'schedules': [
                {
                    'name': each.name, 'state': each.state, 'expression': each.schedule_expression,
                    'machine': each.target['Arn'], 'role': each.target['RoleArn'],
                }
                for group in groups for each in group.schedules.values()
            ],
            'machines': [
                {'arn': each.arn, 'role': each.roleArn, 'definition': self.hashed(each.definition)} for each in machines
            ],
            'functions': [{'arn': each.function_arn, 'role': each.role} for each in functions],
            'roles': [
                {
                    'arn': each.arn,
                    'policies': [
                        *map(as_text, each.policies.values()),
                        *(default_of(policy) for policy in each.managed_policies.values()),
                    ],
                }
                for each in roles
            ],
        }

    def hashed(self, definition):
        name = sha256(definition.encode()).hexdigest()[:16]
        self.definitions[name] = definition
        return name

    def told(self):
        """The last of them is now; the first one was, when it was asked before."""
        self.asked = True
        self.remember()
        told = json.dumps({'moments': self.moments, 'definitions': self.definitions})
        self.last = None
        self.moments = []
        self.definitions = {}
        self.remember()
        return [told.encode()]


def default_of(policy):
    return as_text(next(each.document for each in policy.versions if each.is_default_version))


def as_text(document):
    return document if isinstance(document, str) else json.dumps(document)


MOMENTS = Moments()


def answer_alone(application, environ, start_response):
    with ONE_AT_A_TIME:
        if environ['PATH_INFO'] == '/stub/moments':
            start_response('200 OK', [('content-type', 'application/json')])
            return MOMENTS.told()
        answered = list(answer(application, environ, start_response))
        if MOMENTS.asked and environ['REQUEST_METHOD'] != 'GET':
            MOMENTS.remember()
        return answered


EventBridgePipesBackend.update_pipe = update_pipe_in_part
DynamoDBBackend.update_table_streams = update_table_streams
DomainDispatcherApplication.get_backend_for_host = cache(DomainDispatcherApplication.get_backend_for_host)
moto.core.responses.method_names_from_class = cache(moto.core.responses.method_names_from_class)
DomainDispatcherApplication.__call__ = answer_alone
# What was imported stays: the collector need not look at it again and again.
gc.freeze()
main(sys.argv[1:])
