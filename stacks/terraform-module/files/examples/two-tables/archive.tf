# For expired tokens. prevent_destroy keeps it when it is taken out of this file by mistake.
resource "aws_s3_bucket" "expired_tokens" {
  bucket_prefix = "expired-tokens-"

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_s3_bucket_versioning" "expired_tokens" {
  bucket = aws_s3_bucket.expired_tokens.id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_public_access_block" "expired_tokens" {
  bucket = aws_s3_bucket.expired_tokens.id

  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_lifecycle_configuration" "expired_tokens" {
  bucket = aws_s3_bucket.expired_tokens.id

  rule {
    id     = "colder"
    status = "Enabled"

    filter {
      prefix = ""
    }

    transition {
      days          = 90
      storage_class = "GLACIER_IR"
    }
  }
}
