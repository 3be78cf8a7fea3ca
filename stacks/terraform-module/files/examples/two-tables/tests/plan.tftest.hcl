run "plan" {
  command = plan

  assert {
    condition     = aws_dynamodb_table.sessions.deletion_protection_enabled
    error_message = "Expected a table that nobody deletes by mistake."
  }
}
