"""Edits settings and tenants, and refuses work beyond the quotas of a tenant."""
