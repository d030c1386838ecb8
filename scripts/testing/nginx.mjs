import { PlainError } from '../process/plain-error.mjs';
import { installFromDebian, isDebianAsRoot, isThere, placesOf } from './debian.mjs';

/** @returns {string} the path of nginx, which is installed if possible */
export function findNginx() {
  const installed = () => [process.env.NGINX_PATH, ...placesOf(['nginx']), '/usr/sbin/nginx'].find(isThere);
  if (!installed() && isDebianAsRoot()) installFromDebian('nginx-light');
  const path = installed();
  if (!path) throw new PlainError('nginx was not found. Install it, or set NGINX_PATH.');
  return path;
}
