/** Only what is there: absent is absent, not `undefined`. For literals, whose names are their author's. */
export function defined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const there: Partial<Fields> = {};
  // A plain loop: every question comes along here.
  for (const name in fields) if (fields[name] !== undefined) there[name] = fields[name];
  // The same fields without those that are `undefined`, which is what the type says.
  return there as never;
}
