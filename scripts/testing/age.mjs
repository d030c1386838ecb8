import { installFromDebian, isDebianAsRoot, isThere, placesOf } from './debian.mjs';

/** Installs the command of age if possible. Otherwise the test that opens an archive with it fails. */
export function prepareAge() {
  if (!placesOf(['age']).some(isThere) && isDebianAsRoot()) installFromDebian('age');
}
