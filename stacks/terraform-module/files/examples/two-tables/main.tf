provider "aws" {
  region = "eu-central-1"
}

variable "team" {
  description = "Tag of the tables."
  type        = string
  default     = "identity"
}

# By window: writers stamp expirationWindow beside the TTL.
resource "aws_dynamodb_table" "sessions" {
  name         = "Sessions"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "userId"
  range_key    = "sessionId"

  deletion_protection_enabled = true

  attribute {
    name = "userId"
    type = "S"
  }

  attribute {
    name = "sessionId"
    type = "S"
  }

  attribute {
    name = "expirationWindow"
    type = "S"
  }

  attribute {
    name = "ttl"
    type = "N"
  }

  global_secondary_index {
    name            = "expirationWindowIndex"
    hash_key        = "expirationWindow"
    range_key       = "ttl"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }

  tags = {
    team = var.team
  }
}

# By second: writers stamp nothing. Its stream has old images, for the events.
resource "aws_dynamodb_table" "tokens" {
  name         = "Tokens"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"

  deletion_protection_enabled = true

  stream_enabled   = true
  stream_view_type = "NEW_AND_OLD_IMAGES"

  attribute {
    name = "id"
    type = "S"
  }

  attribute {
    name = "expiresAt"
    type = "N"
  }

  global_secondary_index {
    name            = "expirySecondIndex"
    hash_key        = "expiresAt"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = "expiresAt"
    enabled        = true
  }

  tags = {
    team = var.team
  }
}

resource "aws_sqs_queue" "expired_tokens" {
  name = "expired-tokens"
}

module "precise_ttl" {
  source = "../.."

  tables = {
    sessions = {
      table = aws_dynamodb_table.sessions
      index = { shards = 4 }
    }
    tokens = {
      table         = aws_dynamodb_table.tokens
      ttl_attribute = "expiresAt"
      index         = { by = "second" }

      # Each expired token is kept, before it is deleted.
      archive = { bucket = aws_s3_bucket.expired_tokens }

      # Each expiry becomes a message.
      events = {
        queue     = aws_sqs_queue.expired_tokens
        old_image = true
      }
    }
  }
}

output "event_failure_queue_url" {
  description = "URL of the queue of events that could not be published."
  value       = module.precise_ttl.events["tokens"].failure_queue_url
}

output "state_machine_arn" {
  description = "ARN of the state machine of the ticks."
  value       = module.precise_ttl.state_machine_arn
}
