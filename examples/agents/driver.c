/* A driver in C: lines of JSON in, lines of JSON out. Build it with: cc -o driver driver.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number after a key; the fallback if it is null or missing. */
static double number(const char *line, const char *key, double fallback) {
    const char *at = strstr(line, key);
    if (at == NULL) return fallback;
    at += strlen(key);
    at += strspn(at, "\": ");
    return *at == 'n' ? fallback : atof(at);
}

int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strstr(line, "\"type\": \"step\"") == NULL) continue;
        double speed = number(line, "\"nose.distance\"", 9.0) > 0.4 ? 8.0 : 0.0;
        printf("{\"command\": {\"cart.wheel_front_left\": %g, \"cart.wheel_front_right\": %g, "
               "\"cart.wheel_rear_left\": %g, \"cart.wheel_rear_right\": %g}}\n",
               speed, speed, speed, speed);
        fflush(stdout);
    }
    return 0;
}
