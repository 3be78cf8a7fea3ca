import type { ModuleName } from './main-json.ts';

const PROVIDER = `provider "aws" {
  region = "eu-central-1"
}
`;

const OUTPUT = `output "state_machine_arn" {
  description = "To start replays of."
  value       = module.sessions_ttl.state_machine_arn
}
`;

/** \`main.tf\` of an example of each module. */
export const EXAMPLES: Readonly<Record<ModuleName, string>> = {
  'existing-table': `${PROVIDER}
resource "aws_dynamodb_table" "sessions" {
  name         = "Sessions"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"

  deletion_protection_enabled = true

  attribute {
    name = "id"
    type = "S"
  }

  attribute {
    name = "ttl"
    type = "N"
  }

  global_secondary_index {
    name            = "expirySecondIndex"
    hash_key        = "ttl"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }
}

module "sessions_ttl" {
  source = "../../existing-table"

  table_name    = aws_dynamodb_table.sessions.name
  partition_key = "id"
  indexed_by    = "second"

  # The module reads the table: it must be there, with its index.
  depends_on = [aws_dynamodb_table.sessions]
}

${OUTPUT}`,
  'new-table': `${PROVIDER}
module "sessions_ttl" {
  source = "../../new-table"

  table_name    = "Sessions"
  partition_key = "userId"
  sort_key      = "sessionId"

  tags = {
    team = "identity"
  }
}

${OUTPUT}`,
};
