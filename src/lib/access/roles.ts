export const ROLES = ['domain_admin', 'admin', 'super_admin'] as const;

export type Role = (typeof ROLES)[number];

/** Whether `role` includes `required`. Each role includes the ones before it. */
export function hasRole(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}
