    for (var i = lane; i < width; i += LANES) {
        mean += x[start + i];
    }
    mean_parts[lane] = mean;
    workgroupBarrier();
    mean = 0.0;
    for (var i = 0u; i < LANES; i++) {
        mean += mean_parts[i];
    }
    mean /= f32(width);
