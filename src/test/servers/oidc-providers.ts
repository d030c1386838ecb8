import { setSettings } from '../settings';
import { startOidcProvider } from './oidc-provider';

/** Starts providers and configures them. */
export async function startOidcProviders() {
  const corp = await startOidcProvider('postroom-corp');
  const trusted = await startOidcProvider('postroom-trusted');
  const impostor = await startOidcProvider('postroom-corp', { discovery: { issuer: corp.issuer } });
  const chosen = await startOidcProvider('postroom-chosen', { algorithm: 'ES256', isSecretPosted: true });
  const gone = await startOidcProvider('postroom-gone');
  await gone.close();
  const script = await startOidcProvider('postroom-script', {
    discovery: { authorization_endpoint: 'javascript:alert(1)' },
  });
  const listed = Object.entries({ corp, trusted, impostor, chosen, gone, script }).map(
    ([id, { issuer, clientId, clientSecret }]) => ({
      id,
      name: `The ${id}`,
      issuer,
      clientId,
      clientSecret,
      linkVerifiedEmail: id === 'trusted',
      ...(id === 'chosen' && { tokenEndpointAuthMethod: 'client_secret_post' }),
    }),
  );
  setSettings({ OIDC_PROVIDERS: JSON.stringify(listed) });
  return { corp, trusted, impostor, chosen, script };
}
