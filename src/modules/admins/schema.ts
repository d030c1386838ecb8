import { z } from 'zod';
import { ROLES } from '@/lib/access/roles';
import { formatCount } from '@/lib/format';
import { Id, NewPassword, plainText, Timestamp } from '@/lib/wire';
import { AdminEmail, AdminSummary, LinkedIdentity, RevokeApiKeys } from '@/modules/auth/schema';

const MAX_ASSIGNED_DOMAINS = 1000;

export const Admin = AdminSummary.extend({
  domain_ids: z.array(Id).meta({ description: 'The assigned domains of a domain_admin' }),
  created_at: Timestamp,
  password_changed_at: Timestamp.nullable().meta({ description: 'null: not since the admin was added' }),
}).meta({ id: 'Admin' });
export type Admin = z.infer<typeof Admin>;

export const ListedAdmin = AdminSummary.extend({
  domain_ids: Admin.shape.domain_ids.optional().meta({ description: 'For super admins only' }),
  created_at: Timestamp.optional().meta({ description: 'For super admins only' }),
  password_changed_at: Admin.shape.password_changed_at.optional().meta({ description: 'For super admins only' }),
}).meta({ id: 'ListedAdmin' });
export type ListedAdmin = z.infer<typeof ListedAdmin>;

export const AdminIdentity = z.object({ identity: LinkedIdentity.nullable() });
export type AdminIdentity = z.infer<typeof AdminIdentity>;

export const AdminFilters = z.strictObject({
  q: plainText(254).optional().meta({ description: 'Part of the email' }),
});

const DomainIds = z.array(Id).max(MAX_ASSIGNED_DOMAINS, `Assign at most ${formatCount(MAX_ASSIGNED_DOMAINS)} domains.`);

export const CreateAdmin = z.strictObject({
  email: AdminEmail,
  password: NewPassword,
  role: z.enum(ROLES).default('admin'),
  domain_ids: DomainIds.default([]),
});
export type CreateAdmin = z.infer<typeof CreateAdmin>;

export const UpdateAdmin = z.strictObject({
  id: Id,
  role: z.enum(ROLES).optional(),
  password: NewPassword.optional().meta({ description: 'For another admin, and not with an API key' }),
  revoke_api_keys: RevokeApiKeys,
  domain_ids: DomainIds.optional().meta({ description: 'Replaces the assigned domains' }),
});
export type UpdateAdmin = z.infer<typeof UpdateAdmin>;
