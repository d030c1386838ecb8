import { startOidcProvider } from '../../../src/test/servers/oidc-provider';
import { startHarbourId } from './harbour-id';

/** Two identity providers at 127.0.0.1, a different site than localhost: a real one and a hostile one. */
export async function startProviders(appUrl: string) {
  const harbour = await startHarbourId(`${appUrl}/api/v1/auth/oidc/callback/harbour`);
  const mallory = await startOidcProvider('postroom');
  const listed = [
    { id: 'harbour', name: 'Harbour ID', ...settingsOf(harbour) },
    { id: 'mallory', name: 'Mallory', ...settingsOf(mallory), linkVerifiedEmail: true },
  ];
  return { listed, close: () => Promise.all([harbour.close(), mallory.close()]) };
}

function settingsOf({ issuer, clientId, clientSecret }: Record<'issuer' | 'clientId' | 'clientSecret', string>) {
  return { issuer, clientId, clientSecret };
}
