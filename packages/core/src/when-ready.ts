/** Goes on with what is there: at once, or when it is. Nobody waits a turn for what was there already. */
export function whenReady<Value, Next>(
  value: Value | Promise<Value>,
  goOn: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
