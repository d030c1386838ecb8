import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { ADDRESS, checkReadable, HOST_NAME, listOf } from './setting-formats.mjs';

// Without characters that a shell or an environment file treats specially.
const SERVER = /^https:\/\/[\w.-]+(:\d+)?(\/[\w./-]*)?$/;
const LISTEN_ADDRESS = /^([\w.-]+|\[[\da-f:]+\])?:\d{1,5}$/i;
const PROVIDER = /^[a-z0-9-]+$/;

export const TLS_DEFAULTS = {
  TLS_CERTIFICATE: '',
  TLS_KEY: '',
  ACME_EMAIL: '',
  ACME_SERVER: 'https://acme-v02.api.letsencrypt.org/directory',
  ACME_NAMES: '',
  ACME_HTTP_ADDRESS: ':80',
  ACME_DNS_PROVIDER: '',
  ACME_DNS_CREDENTIALS: '',
  ACME_DNS_CHECK: 'yes',
  ACME_CA_FILE: '',
};

/** @returns {string[]} what is wrong with the settings of the certificate */
export function tlsErrorsIn(settings) {
  const errors = [];
  const check = (isValid, sentence) => isValid || errors.push(sentence);
  const hasFiles = settings.TLS_CERTIFICATE !== '' || settings.TLS_KEY !== '';
  if (settings.ACME_EMAIL === '') {
    if (settings.TLS_CERTIFICATE === '' || settings.TLS_KEY === '')
      return ['Set TLS_CERTIFICATE and TLS_KEY, or ACME_EMAIL to get a certificate from Let’s Encrypt.'];
    checkCertificate(settings, check);
    return errors;
  }
  check(!hasFiles, 'Set ACME_EMAIL, or TLS_CERTIFICATE and TLS_KEY, not both.');
  check(ADDRESS.test(settings.ACME_EMAIL), 'ACME_EMAIL must be one email address.');
  check(SERVER.test(settings.ACME_SERVER), 'ACME_SERVER must be the https URL of an ACME directory.');
  check(
    listOf(settings.ACME_NAMES).every((name) => HOST_NAME.test(name)),
    'ACME_NAMES must be full host names like smtp.example.com, separated by commas.',
  );
  check(LISTEN_ADDRESS.test(settings.ACME_HTTP_ADDRESS), 'ACME_HTTP_ADDRESS must look like :80 or 127.0.0.1:8402.');
  const isProviderValid = settings.ACME_DNS_PROVIDER === '' || PROVIDER.test(settings.ACME_DNS_PROVIDER);
  check(isProviderValid, 'ACME_DNS_PROVIDER must be one of the codes that "lego dnshelp" lists.');
  const hasProvider = settings.ACME_DNS_PROVIDER !== '';
  check(
    hasProvider === (settings.ACME_DNS_CREDENTIALS !== ''),
    'Set both ACME_DNS_PROVIDER and ACME_DNS_CREDENTIALS, or neither.',
  );
  check(['yes', 'no'].includes(settings.ACME_DNS_CHECK), 'ACME_DNS_CHECK must be yes or no.');
  for (const name of ['ACME_DNS_CREDENTIALS', 'ACME_CA_FILE'])
    if (settings[name] !== '') checkReadable(name, settings, check);
  return errors;
}

/** With ACME, the certificate is in a folder of its own, which only root can read. */
export function tlsValuesOf(settings, data) {
  const lists = {
    acme_names: listOf(settings.ACME_NAMES).join(','),
    acme_dns_servers: listOf(settings.DNS_SERVERS).join(','),
  };
  if (settings.ACME_EMAIL === '') return lists;
  return { ...lists, tls_certificate: join(data, 'tls/certificate.pem'), tls_key: join(data, 'tls/key.pem') };
}

function checkCertificate(settings, check) {
  const certificate = checkReadable('TLS_CERTIFICATE', settings, check);
  const key = checkReadable('TLS_KEY', settings, check);
  if (!certificate || !key) return;
  try {
    const isPair = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
    check(isPair, "TLS_KEY doesn't belong to TLS_CERTIFICATE.");
  } catch (error) {
    check(false, `TLS_CERTIFICATE and TLS_KEY must be a certificate and its key in PEM: ${error.message}.`);
  }
}
