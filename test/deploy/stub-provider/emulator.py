"""Starts moto's server, which takes the arguments. What is mended:

- DynamoDB lets a stream be enabled again after it was disabled, which is how the view of its records changes; moto takes the old
  stream's label for a stream that is enabled.
- moto answers 500 now and then when several calls change something at once. So it takes them one after the other."""
import sys
from threading import Lock

from moto.dynamodb.exceptions import StreamAlreadyEnabledException
from moto.dynamodb.models import DynamoDBBackend
from moto.moto_server.werkzeug_app import DomainDispatcherApplication
from moto.server import main


def update_table_streams(_backend, table, wanted):
    now = table.stream_specification or {}
    if wanted.get('StreamEnabled') and now.get('StreamEnabled'):
        raise StreamAlreadyEnabledException
    table.set_stream_specification(wanted)


ONE_AT_A_TIME = Lock()
answer = DomainDispatcherApplication.__call__


def answer_alone(application, environ, start_response):
    with ONE_AT_A_TIME:
        return list(answer(application, environ, start_response))


DynamoDBBackend.update_table_streams = update_table_streams
DomainDispatcherApplication.__call__ = answer_alone
main(sys.argv[1:])
