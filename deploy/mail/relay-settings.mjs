/** The port of relays that begin with TLS, at the end of RELAY_HOST. */
const TLS_FROM_START = ':465';

/** Values that other readers of the file, such as systemd, continue in the next line. */
const SWALLOWS = /^["'`]|\\$/;

export const RELAY_DEFAULTS = {
  RELAY_HOST: '',
  RELAY_USER: '',
  RELAY_PASSWORD: '',
  RELAY_TLS: '',
};

/** @returns {string[]} what is wrong with the settings of the relay */
export function relayErrorsIn(settings) {
  const errors = [];
  const check = (isValid, sentence) => isValid || errors.push(sentence);
  const isRelayValid = settings.RELAY_HOST === '' || /^\[?[\w.:-]+\]?(:\d+)?$/.test(settings.RELAY_HOST);
  check(isRelayValid, 'RELAY_HOST must be a host like [smtp.example.net]:587.');
  const { RELAY_HOST: relay, RELAY_USER: user, RELAY_PASSWORD: password, RELAY_TLS: tls } = settings;
  const isWhole = (user === '') === (password === '');
  const isTlsKnown = ['', 'may', 'encrypt', 'secure'].includes(tls);
  check(isWhole, 'RELAY_USER and RELAY_PASSWORD go together.');
  check(isTlsKnown, 'RELAY_TLS must be may, encrypt or secure.');
  check(relay !== '' || user + tls === '' || !isWhole || !isTlsKnown, 'RELAY_USER and RELAY_TLS need RELAY_HOST.');
  check(/^[\x21-\x39\x3b-\x7e]{0,256}$/.test(user), 'RELAY_USER can’t have spaces or colons.');
  for (const [name, value] of Object.entries({ RELAY_USER: user, RELAY_PASSWORD: password }))
    check(!SWALLOWS.test(value), `${name} can’t begin with a quote or end with a backslash.`);
  check(
    /^[\x21-\x7e]{0,256}$/.test(password),
    'RELAY_PASSWORD must have at most 256 characters of ASCII, without spaces.',
  );
  check(user === '' || tls !== 'may', 'With RELAY_USER, RELAY_TLS must be encrypt or secure: a password needs TLS.');
  const isTlsPossible = !relay.endsWith(TLS_FROM_START) || tls !== 'may';
  check(isTlsPossible, 'With port 465 in RELAY_HOST, RELAY_TLS must be encrypt or secure: it begins with TLS.');
  return errors;
}

/** @returns {Record<string, string>} template values */
export function relayValuesOf({ RELAY_HOST: relay, RELAY_USER: user, RELAY_PASSWORD: password, RELAY_TLS: tls }) {
  // 530, 534, 535 and 538 are about signing in; others say so in words.
  const refusals = [
    '(3[0458][ -])(5[.][0-9]+[.][0-9]+ )?(.*)',
    '([0-9][0-9][ -])(5[.][0-9]+[.][0-9]+ )?(.*(relay|authenti|not permitted).*)',
  ];
  const [ending, action] = ['$$/', '4$${1}4.7.0 $${3}'];
  const isTlsFromStart = relay.endsWith(TLS_FROM_START);
  const rules = refusals.map((reply) => `{ /^5${reply}${ending} ${action} }`);
  return {
    // Postfix uses no server of which TLS is wanted from the start and needn't be.
    relay_tls: tls || (user === '' && !isTlsFromStart ? 'may' : 'encrypt'),
    relay_tls_from_start: isTlsFromStart ? 'yes' : 'no',
    relay_has_user: user === '' ? 'no' : 'yes',
    relay_credentials: user === '' ? '' : `${relay} ${user}:${password}`,
    relay_reply_filter: relay === '' ? '' : `regexp:{ ${rules.join(' ')} }`,
  };
}
