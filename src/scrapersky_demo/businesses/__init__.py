"""The invented businesses, their telephone numbers and the listings that name them."""
