terraform {
  required_version = ">= 1.9"
}

provider "aws" {
  region = "eu-central-1"
}

# The table that was there before.
resource "aws_dynamodb_table" "holds" {
  name         = "Holds"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "HoldId"

  attribute {
    name = "HoldId"
    type = "S"
  }

  # New: the index, and its only key.
  attribute {
    name = "ttl"
    type = "N"
  }

  global_secondary_index {
    name            = "expirySecondIndex"
    hash_key        = "ttl"
    projection_type = "KEYS_ONLY"
  }

  # The backstop.
  ttl {
    attribute_name = "ttl"
    enabled        = true
  }

  lifecycle {
    prevent_destroy = true
  }
}

# New: the sweep.
module "holds_ttl" {
  source = "./modules/precise-ttl/existing-table"

  table_name    = aws_dynamodb_table.holds.name
  partition_key = "HoldId"
  indexed_by    = "second"

  # The module reads the table: it must be there, with its index.
  depends_on = [aws_dynamodb_table.holds]
}

output "state_machine_arn" {
  description = "To start replays of."
  value       = module.holds_ttl.state_machine_arn
}
