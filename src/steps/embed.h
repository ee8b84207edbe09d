/* embed.h - files that become part of the binary when it is built. */
#ifndef STEPS_EMBED_H
#define STEPS_EMBED_H

/* The symbols of a file, SYMBOL_begin and SYMBOL_end; its path is from the top of the sources, or in the build's folder
 * of what it has made. */
#define EMBED_ONE(symbol, path) \
    extern const char symbol##_begin[], symbol##_end[]; \
    __asm__(".section .rodata\n" \
            ".globl " #symbol "_begin\n.hidden " #symbol "_begin\n" #symbol "_begin: .incbin \"" path "\"\n" \
            ".globl " #symbol "_end\n.hidden " #symbol "_end\n" #symbol "_end: .byte 0\n" \
            ".previous\n");

#endif
