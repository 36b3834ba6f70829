"""Pure functions, arrays in and arrays out: every formula of the method lives here, once."""
