// Words about the wires of a simulated robot.
import type { Rates } from "../../../store/simulation/hardware.ts";
import type { OfferData, TrafficData } from "../../../wire/messages.ts";

/** What a port that is typed, or not, leads to. */
export function portHint(offer: OfferData): string {
  if (offer.has_terminal)
    return "Without a port, the protocol gets a device path; with one, a TCP address";
  return `TCP port on this computer, usually ${offer.port ?? "a free one"}; 0 takes any free port`;
}

/** Clients of a wire; a serial line does not know them, only whether it hears something. */
export function clientsText(traffic: TrafficData, rates: Rates | undefined): string {
  const { clients } = traffic;
  if (clients === null) {
    if (rates && rates.received > 0) return "a program is sending data";
    return traffic.received || traffic.errors ? "no data at the moment" : "no data received yet";
  }
  return clients === 1 ? "1 client" : `${clients} clients`;
}

export function ratesText(rates: Rates | undefined): string {
  const number = (rate: number): string => rate.toFixed(rate < 10 ? 1 : 0);
  return `${number(rates?.received ?? 0)} in, ${number(rates?.sent ?? 0)} out per second`;
}

export function errorsText(errors: number): string {
  return errors === 1 ? "1 unreadable packet" : `${errors} unreadable packets`;
}
