import { ById, Confirmation, Empty } from '@/lib/wire';
import { listProcedure } from '@/server/list/list-procedures';
import { authedProcedure, publicProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { restOf } from '@/server/rest/meta';
import { sessionList } from './lists';
import { oidcProcedures } from './oidc/procedures';
import {
  ChangePassword,
  LoggedIn,
  Login,
  LoginAnswer,
  Profile,
  Session,
  Setup,
  SetupStatus,
  SetupStatusQuery,
  TotpCodeInput,
  TotpEnabled,
  TotpSetup,
  UpdateProfile,
} from './schema';
import { changePassword, getProfile, login, updateProfile } from './service';
import { endSession, listSessions, logout, logoutAll } from './sessions/sessions';
import { getSetupStatus, setUp } from './setup/setup';
import { beginTotpSetup, disableTotp, enableTotp } from './totp/setup';

const tag = 'Authentication';
const rest = restOf(tag);
const profile = versioned('profile', getProfile);

export const authRouter = router({
  ...oidcProcedures,

  login: publicProcedure(Login)
    .meta(
      rest('POST', '/auth/login', {
        summary: 'Sign in',
        description:
          'Step 1: email and password. Step 2, for admins with two-factor authentication: totp_session with totp_code or recovery_code. Sets the session cookie after the last step.',
        isPublic: true,
        isLogin: true,
        audit: 'session.create',
        confirmation: 'Replaces your session in this browser.',
        errors: {
          400: ['MISSING_FIELDS'],
          401: ['INVALID_CREDENTIALS', 'TOTP_INVALID', 'SESSION_INVALID'],
          503: ['SERVICE_UNAVAILABLE'],
        },
      }),
    )
    .output(LoginAnswer)
    .mutation(({ ctx, input }) => login(ctx, input)),

  me: authedProcedure(Empty)
    .meta(
      rest('GET', '/auth/me', {
        versioned: profile,
        summary: 'Get your profile',
        isOpenToScopedKeys: true,
        permission: null,
      }),
    )
    .output(Profile)
    .query(({ ctx }) => getProfile(ctx)),

  updateProfile: authedProcedure(UpdateProfile)
    .meta(
      rest('PATCH', '/auth/me', {
        versioned: profile,
        summary: 'Update your profile',
        description: 'The time zone applies in every browser you sign in with.',
        audit: 'admin.update_profile',
        confirmation: null,
      }),
    )
    .output(Profile)
    .mutation(({ ctx, input }) => updateProfile(ctx, input)),

  logout: authedProcedure(Empty)
    .meta(
      rest('POST', '/auth/logout', {
        summary: 'Sign out',
        description: 'Ends the current session and clears its cookie.',
        audit: 'session.delete',
        confirmation: 'Ends your session in this browser.',
        isSessionOnly: true,
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx }) => logout(ctx)),

  logoutAll: authedProcedure(Empty)
    .meta(
      rest('POST', '/auth/logout-all', {
        summary: 'Sign out everywhere',
        description: 'Ends all your sessions, including the current one.',
        audit: 'session.delete_all',
        confirmation: 'Ends all of your sessions, also in other browsers.',
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx }) => logoutAll(ctx)),

  sessions: listProcedure(sessionList, { procedure: authedProcedure, item: Session, find: listSessions, tag }),

  endSession: authedProcedure(ById)
    .meta(
      rest('DELETE', '/auth/sessions/{id}', {
        summary: 'End one of your sessions',
        audit: 'session.delete',
        confirmation: 'Ends one of your sessions.',
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => endSession(ctx, input)),

  changePassword: authedProcedure(ChangePassword)
    .meta(
      rest('POST', '/auth/password', {
        summary: 'Change your password',
        description:
          'Ends your other sessions. API keys keep working unless `revoke_api_keys` is true, and a linked identity still signs in.',
        audit: 'admin.password',
        confirmation: 'Changes your password and ends your other sessions.',
        isSessionOnly: true,
        errors: { 401: ['INVALID_CREDENTIALS'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => changePassword(ctx, input)),

  setUpTotp: authedProcedure(Empty)
    .meta(
      rest('POST', '/auth/totp/setup', {
        summary: 'Set up two-factor authentication',
        description: 'Takes effect after POST /auth/totp/verify with a valid code.',
        audit: 'admin.setup_totp',
        confirmation: null,
        isSessionOnly: true,
      }),
    )
    .output(TotpSetup)
    .mutation(({ ctx }) => beginTotpSetup(ctx)),

  enableTotp: authedProcedure(TotpCodeInput)
    .meta(
      rest('POST', '/auth/totp/verify', {
        summary: 'Enable two-factor authentication',
        description: 'The recovery codes are returned only once.',
        audit: 'admin.enable_totp',
        confirmation: 'You need a code to sign in from then on.',
        isSessionOnly: true,
        errors: { 401: ['TOTP_INVALID'] },
      }),
    )
    .output(TotpEnabled)
    .mutation(({ ctx, input }) => enableTotp(ctx, input)),

  disableTotp: authedProcedure(TotpCodeInput)
    .meta(
      rest('DELETE', '/auth/totp', {
        summary: 'Disable two-factor authentication',
        audit: 'admin.disable_totp',
        confirmation: 'You sign in without a code from then on.',
        isSessionOnly: true,
        errors: { 401: ['TOTP_INVALID'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => disableTotp(ctx, input)),

  setupStatus: publicProcedure(SetupStatusQuery)
    .output(SetupStatus)
    .query(({ ctx, input }) => getSetupStatus(ctx, input)),

  setup: publicProcedure(Setup)
    .meta({ isLogin: true, audit: 'admin.create' })
    .output(LoggedIn)
    .mutation(({ ctx, input }) => setUp(ctx, input)),
});
