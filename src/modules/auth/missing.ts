/** The messages for the fields of a sign-in that are missing. Apart from the schema, so that the sign-in page loads without Zod. */
export const MISSING = {
  email: 'Enter your email address.',
  password: 'Enter your password.',
  totp_code: 'Enter the 6-digit code.',
};
