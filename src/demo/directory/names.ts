import type { Random } from '../random';

export type Person = { first: string; last: string };

const FIRST_NAMES = [
  'Ada Amara Anna Arjun Beatrice Ben Carla Cem Chloe Daniel Dana Elena Elif Emma Erik Farah Felix Fiona George Grace',
  'Hanna Hugo Ines Isaac Ivan Jana Jonas Julia Kai Karim Katja Lars Leila Leo Li Lucia Magnus Maria Marta Mateo Mei Mia',
  'Mila Nadia Nils Nina Noor Oliver Olga Omar Paula Pedro Priya Quentin Rafael Rosa Ruth Samir Sara Sofia Tariq Theo Tom',
  'Uma Vera Victor Wanda Yara Yusuf Zoe',
]
  .join(' ')
  .split(' ');

const LAST_NAMES = [
  'Abbott Adeyemi Almeida Andersson Baker Banerjee Berg Bianchi Brandt Castro Chen Costa Dubois Eriksen Fischer Fontaine',
  'Garcia Haddad Hansen Hughes Ito Ivanova Jansen Kaya Keller Khan Kowalski Kumar Larsen Lindqvist Lopez Marsh Mendes',
  'Meyer Moreau Murphy Nakamura Nguyen Novak Okafor Olsen Osei Park Patel Petrov Quinn Reyes Ricci Rossi Saito Santos',
  'Schmidt Silva Singh Sorensen Suzuki Taylor Tanaka Torres Vogel Walsh Weber Whitfield Yilmaz Young Zhang Ziegler',
]
  .join(' ')
  .split(' ');

export function randomPerson(random: Random): Person {
  return { first: random.pick(FIRST_NAMES), last: random.pick(LAST_NAMES) };
}

export function localPartOf({ first, last }: Person): string {
  return `${first}.${last}`.toLowerCase();
}

export function fullNameOf({ first, last }: Person): string {
  return `${first} ${last}`;
}
