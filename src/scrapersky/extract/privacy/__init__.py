"""What identifies a person or a business to a suppression, and what a page says about being contacted."""
