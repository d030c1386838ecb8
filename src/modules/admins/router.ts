import { ById, Confirmation } from '@/lib/wire';
import { authedProcedure, router, superAdminProcedure } from '@/server/procedures/trpc';
import { rest } from '@/server/rest/meta';
import { Admin, AdminPage, CreateAdmin, ListAdmins, UpdateAdmin } from './schema';
import { createAdmin, deleteAdmin, getAdmin, listAdmins, resetTotp, updateAdmin } from './service';

const tag = 'Admins';

export const adminsRouter = router({
  list: authedProcedure(ListAdmins)
    .meta(rest('GET', '/admins', { tag, summary: 'List admins', isPaginated: true }))
    .output(AdminPage)
    .query(({ ctx, input }) => listAdmins(ctx, input)),

  create: superAdminProcedure(CreateAdmin)
    .meta(
      rest('POST', '/admins', {
        tag,
        summary: 'Add an admin',
        audit: 'admin.create',
        errors: { 404: ['DOMAIN_NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Admin)
    .mutation(({ ctx, input }) => createAdmin(ctx, input)),

  get: authedProcedure(ById)
    .meta(rest('GET', '/admins/{id}', { tag, summary: 'Get an admin', errors: { 404: ['NOT_FOUND'] } }))
    .output(Admin)
    .query(({ ctx, input }) => getAdmin(ctx, input)),

  update: superAdminProcedure(UpdateAdmin)
    .meta(
      rest('PATCH', '/admins/{id}', {
        tag,
        summary: 'Update an admin',
        description:
          'Changes only the supplied fields. A new role or password ends the admin’s sessions. API keys keep working unless ' +
          '`revoke_api_keys` is true. An API key can’t set a password, and you change your own with POST /auth/password.',
        audit: 'admin.update',
        errors: { 404: ['NOT_FOUND', 'DOMAIN_NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Admin)
    .mutation(({ ctx, input }) => updateAdmin(ctx, input)),

  delete: superAdminProcedure(ById)
    .meta(
      rest('DELETE', '/admins/{id}', {
        tag,
        summary: 'Delete an admin',
        description: 'Ends their sessions and revokes their API keys. The audit log keeps their entries.',
        audit: 'admin.delete',
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteAdmin(ctx, input)),

  resetTotp: superAdminProcedure(ById)
    .meta(
      rest('DELETE', '/admins/{id}/totp', {
        tag,
        summary: 'Reset two-factor authentication of an admin',
        description:
          'For another admin who lost the authenticator app and the recovery codes. Ends their sessions. Disable your own ' +
          'with DELETE /auth/totp.',
        isSessionOnly: true,
        audit: 'admin.reset_totp',
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => resetTotp(ctx, input)),
});
