import { execFileSync } from 'node:child_process';

/**
 * The generations of Dovecot that there are templates for, in `templates/dovecot-<generation>`, with what differs between them in
 * the templates that both share.
 */
export const GENERATIONS = {
  // Debian 12
  2.3: {
    syntax_version: '',
    unlimited_requests: 'service_count = 0',
    sign_in_policy: `auth_policy_server_timeout_msecs = 500
auth_policy_request_attributes = login=%{requested_username} pwhash=%{hashed_password} remote=%{rip} protocol=%s`,
    unenforced_quota: 'plugin/quota=count:User quota:noenforcing',
  },
  // Debian 13
  2.4: {
    // These must be the first settings.
    syntax_version: 'dovecot_config_version = 2.4.1\ndovecot_storage_version = 2.4.1',
    unlimited_requests: 'restart_request_count = unlimited',
    sign_in_policy: `auth_policy {
  http_client_request_absolute_timeout = 500ms
}`,
    unenforced_quota: 'quota_enforce=no',
  },
};

/** @returns {keyof typeof GENERATIONS} that of the Dovecot on this host */
export function installedGeneration() {
  const version = execFileSync('dovecot', ['--version'], { encoding: 'utf8' });
  const [generation] = /^\d+\.\d+/.exec(version) ?? [];
  if (generation && generation in GENERATIONS) return /** @type {any} */ (generation);
  const known = Object.keys(GENERATIONS).join(' and ');
  throw new Error(`Dovecot is ${version.trim()} here, and there are templates for ${known}`);
}
