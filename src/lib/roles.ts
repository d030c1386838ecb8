export const ROLES = ['domain_admin', 'admin', 'super_admin'] as const;

export type Role = (typeof ROLES)[number];

/** Whether `role` may do what `required` may: each role can do everything the one before it can. */
export function hasRole(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}
