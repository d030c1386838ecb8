import { ById, Confirmation } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { authedProcedure, router, superAdminProcedure } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { restOf } from '@/server/rest/meta';
import { adminList } from './lists';
import { Admin, AdminFilters, AdminIdentity, CreateAdmin, ListedAdmin, UpdateAdmin } from './schema';
import {
  createAdmin,
  deleteAdmin,
  disconnectOidc,
  getAdmin,
  getIdentity,
  listAdmins,
  resetTotp,
  updateAdmin,
} from './service';

const tag = 'Admins';
const rest = restOf(tag);
const record = versioned('admin', getAdmin);

const admins = listProcedures(adminList, {
  procedure: authedProcedure,
  exportedBy: superAdminProcedure,
  item: ListedAdmin,
  filters: AdminFilters,
  find: listAdmins,
  tag,
  description: 'Super admins also get the assigned domains and the time of creation.',
});

export const adminsRouter = router({
  list: admins.list,

  create: superAdminProcedure(CreateAdmin)
    .meta(
      rest('POST', '/admins', {
        summary: 'Add an admin',
        audit: 'admin.create',
        confirmation: 'Gives a person access to the console and the API.',
        errors: { 404: ['DOMAIN_NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Admin)
    .mutation(({ ctx, input }) => createAdmin(ctx, input)),

  export: admins.export,

  get: authedProcedure(ById)
    .meta(
      rest('GET', '/admins/{id}', {
        versioned: record,
        summary: 'Get an admin',
        description: 'For yourself, or any admin as a super admin.',
        errors: { 403: ['FORBIDDEN'] },
      }),
    )
    .output(Admin)
    .query(({ ctx, input }) => getAdmin(ctx, input)),

  update: superAdminProcedure(UpdateAdmin)
    .meta(
      rest('PATCH', '/admins/{id}', {
        versioned: record,
        summary: 'Update an admin',
        description:
          'Changes only the supplied fields. A new role or password ends the admin’s sessions. API keys keep working unless ' +
          '`revoke_api_keys` is true, and so does a linked identity. An API key can’t set a password, and you change your own with POST /auth/password.',
        audit: 'admin.update',
        confirmation: 'Changes the role or the password of an admin, which ends the admin’s sessions.',
        errors: { 404: ['DOMAIN_NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Admin)
    .mutation(({ ctx, input }) => updateAdmin(ctx, input)),

  delete: superAdminProcedure(ById)
    .meta(
      rest('DELETE', '/admins/{id}', {
        versioned: record,
        summary: 'Delete an admin',
        description: 'Ends their sessions and revokes their API keys. The audit log keeps their entries.',
        audit: 'admin.delete',
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteAdmin(ctx, input)),

  resetTotp: superAdminProcedure(ById)
    .meta(
      rest('DELETE', '/admins/{id}/totp', {
        summary: 'Reset two-factor authentication of an admin',
        description:
          'For another admin who lost the authenticator app and the recovery codes. Ends their sessions. Disable your own ' +
          'with DELETE /auth/totp.',
        isSessionOnly: true,
        audit: 'admin.reset_totp',
        confirmation: 'The admin can sign in without a code. Ends the admin’s sessions.',
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => resetTotp(ctx, input)),

  identity: superAdminProcedure(ById)
    .meta(
      rest('GET', '/admins/{id}/oidc', {
        summary: 'Get the linked identity of an admin',
        description: '`identity` is null if none is linked.',
      }),
    )
    .output(AdminIdentity)
    .query(({ ctx, input }) => getIdentity(ctx, input)),

  disconnectOidc: superAdminProcedure(ById)
    .meta(
      rest('DELETE', '/admins/{id}/oidc', {
        summary: 'Disconnect the identity provider of an admin',
        description:
          'Ends their sessions. Requires that they have a password, so that they can still sign in. Disconnect your own with ' +
          'DELETE /auth/oidc/disconnect.',
        isSessionOnly: true,
        audit: 'admin.disconnect_oidc',
        confirmation: 'The admin can’t sign in with the identity provider any longer.',
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => disconnectOidc(ctx, input)),
});
