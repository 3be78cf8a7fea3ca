"""Starts moto's server, which takes the arguments. What is mended: DynamoDB lets a stream be enabled again after it was
disabled, which is how the view of its records changes; moto takes the old stream's label for a stream that is enabled."""
import sys

from moto.dynamodb.exceptions import StreamAlreadyEnabledException
from moto.dynamodb.models import DynamoDBBackend
from moto.server import main


def update_table_streams(_backend, table, wanted):
    now = table.stream_specification or {}
    if wanted.get('StreamEnabled') and now.get('StreamEnabled'):
        raise StreamAlreadyEnabledException
    table.set_stream_specification(wanted)


DynamoDBBackend.update_table_streams = update_table_streams
main(sys.argv[1:])
