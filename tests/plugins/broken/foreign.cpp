// The mark of another warpvp.
extern "C" __attribute__((section(".warpvp_abi"), used)) const char warpvp_plugin_mark[] =
    "warpvp=0.0.1 headers=0123456789abcdef";
