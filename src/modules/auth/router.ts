import { Confirmation, Empty } from '@/lib/wire';
import { rest } from '@/server/rest/meta';
import { authedProcedure, publicProcedure, router } from '@/server/trpc';
import { LoggedIn, Login, Profile, Setup, SetupStatus, SetupStatusQuery } from './schema';
import { getProfile, login, logout } from './service';
import { getSetupStatus, setUp } from './setup';

const tag = 'Authentication';

export const authRouter = router({
  login: publicProcedure(Login)
    .meta(
      rest('POST', '/auth/login', {
        tag,
        summary: 'Sign in',
        description: 'Sets the session cookie.',
        isPublic: true,
        isLogin: true,
        audit: 'session.create',
        transaction: 'manual',
        errors: { 401: ['INVALID_CREDENTIALS'], 503: ['SERVICE_UNAVAILABLE'] },
      }),
    )
    .output(LoggedIn)
    .mutation(({ ctx, input }) => login(ctx, input)),

  me: authedProcedure(Empty)
    .meta(rest('GET', '/auth/me', { tag, summary: 'Get your own profile', isOpenToScopedKeys: true }))
    .output(Profile)
    .query(({ ctx }) => getProfile(ctx)),

  logout: authedProcedure(Empty)
    .meta(
      rest('POST', '/auth/logout', {
        tag,
        summary: 'Sign out',
        description: 'Ends the current session and clears its cookie.',
        audit: 'session.delete',
        isOpenToScopedKeys: true,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx }) => logout(ctx)),

  setupStatus: publicProcedure(SetupStatusQuery)
    .output(SetupStatus)
    .query(({ ctx, input }) => getSetupStatus(ctx, input)),

  setup: publicProcedure(Setup)
    .meta({ isLogin: true, audit: 'admin.create', transaction: 'manual' })
    .output(LoggedIn)
    .mutation(({ ctx, input }) => setUp(ctx, input)),
});
