import { setSettings } from '../settings';
import { startOidcProvider } from './oidc-provider';

/** Starts providers and configures them. */
export async function startOidcProviders() {
  const corp = await startOidcProvider('postroom-corp');
  const trusted = await startOidcProvider('postroom-trusted');
  const impostor = await startOidcProvider('postroom-corp', { discovery: { issuer: corp.issuer } });
  const elliptic = await startOidcProvider('postroom-elliptic', { algorithm: 'ES256' });
  const gone = await startOidcProvider('postroom-gone');
  await gone.close();
  const script = await startOidcProvider('postroom-script', {
    discovery: { authorization_endpoint: 'javascript:alert(1)' },
  });
  const listed = Object.entries({ corp, trusted, impostor, elliptic, gone, script }).map(
    ([id, { issuer, clientId, clientSecret }]) => ({
      id,
      name: `The ${id}`,
      issuer,
      clientId,
      clientSecret,
      linkVerifiedEmail: id === 'trusted',
    }),
  );
  setSettings({ OIDC_PROVIDERS: JSON.stringify(listed) });
  return { corp, trusted, impostor, elliptic, script };
}
